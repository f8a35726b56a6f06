// Derives the form of rendered MachineConfigs. Checks every file, unit and argument, because they run as root.

import {
  contentForms,
  type FieldForm,
  type NodeContent,
  type ObjectForm,
  type ValueForm,
  type VariableText,
} from "@virt/api";
import { roleLabel } from "@virt/cluster";
import { asText, at, isMap, type Json, type JsonMap, writeDataUrl } from "@virt/objects";

const { fields, listOf, oneOf, required, text } = contentForms;

/** Maps that are checked by member and lists that are checked by element. */
const inner = ["config", "ignition", "storage", "systemd"];
const lists = ["files", "units"];

export function formOfNodeContent({ object, variableFiles = {} }: NodeContent): ObjectForm {
  const spec = object["spec"];
  if (!isMap(spec)) throw new Error(`MachineConfig ${object.metadata.name} has no spec`);
  const unknown = Object.keys(variableFiles).filter((path) => !JSON.stringify(spec).includes(JSON.stringify(path)));
  if (unknown.length > 0) throw new Error(`MachineConfig ${object.metadata.name} has no file ${unknown.join()}`);
  return {
    apiVersion: object.apiVersion,
    labels: { [roleLabel]: object.metadata.labels?.[roleLabel] ?? "" },
    spec: fields(membersOf(spec, variableFiles)),
  };
}

type VariableFiles = Readonly<Record<string, VariableText>>;

function membersOf(part: JsonMap, variable: VariableFiles): Readonly<Record<string, FieldForm>> {
  const members = Object.entries(part).map(([key, value = null]) => [key, required(formOf(key, value, variable))]);
  return Object.fromEntries(members) as Readonly<Record<string, FieldForm>>;
}

function formOf(key: string, value: Json, variable: VariableFiles): ValueForm {
  if (isMap(value) && inner.includes(key)) return fields(membersOf(value, variable));
  if (!Array.isArray(value) || !lists.includes(key)) return oneOf(value);
  const elements = value as readonly Json[];
  return listOf(
    elements.map((element) => elementForm(element, variable)),
    elements.length,
    mostElements,
  );
}

/** Includes the elements of other clients, which may stay. */
const mostElements = 1000;

function elementForm(element: Json, variable: VariableFiles): ValueForm {
  const varying = variable[asText(at(element, "path")) ?? ""];
  if (varying === undefined || !isMap(element)) return oneOf(element);
  const { contents: _contents, ...rest } = element;
  const same = Object.entries(rest).map(([key, value]) => [key, required(oneOf(value ?? null))] as const);
  const contents = fields({ source: required(text(sourcePattern(varying), mostCharacters)) });
  return fields({ ...Object.fromEntries(same), contents: required(contents) });
}

const mostCharacters = 10_000;

const base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/**
 * Returns a pattern for the data URL of the content. CEL policies cannot decode base64, so each character is restricted
 * to those that the alphabet can produce. This excludes line breaks and spaces.
 */
export function sourcePattern({ begin, alphabet, end }: VariableText): string {
  if (begin.length % 3 !== 0 || end !== "\n") throw new Error(`no pattern for text that begins with ${begin}`);
  const letters = alphabet.split("").map((letter) => letter.charCodeAt(0));
  const first = signs(letters.map((byte) => byte >> 2));
  const group = (last: readonly number[]) =>
    `${first}(${middles(letters, last).join("|")})${signs(last.map((byte) => byte & 63))}`;
  // The final line break is the third, second or first byte of the last group.
  const endings = [group([newline]), `${first}${signs([0, 16, 32, 48])}o=`, "Cg=="];
  return `${escape(writeDataUrl(begin))}(${group(letters)})*(${endings.join("|")})`;
}

const newline = 0x0a;

/** Returns the patterns of the two base64 characters that encode the second byte, one for each upper half. */
function middles(letters: readonly number[], last: readonly number[]): readonly string[] {
  const halves = Map.groupBy(letters, (byte) => byte >> 4);
  return [...halves].map(([upper, bytes]) => {
    const lower = bytes.flatMap((byte) => last.map((next) => ((byte & 15) << 2) | (next >> 6)));
    return `${signs([0, 16, 32, 48].map((bits) => bits | upper))}${signs(lower)}`;
  });
}

function signs(sextets: readonly number[]): string {
  const distinct = [...new Set(sextets)].toSorted((left, right) => left - right).map((at) => base64[at] ?? "");
  return `[${distinct.join("")}]`;
}

const escape = (text: string): string => text.replaceAll(/[.+*?()|[\]{}^$]/g, (sign) => `[${sign}]`);
