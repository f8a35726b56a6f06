// Decodes the Ignition files and units of a MachineConfig into readable sections.

import type { KubeObject } from "@virt/api";
import {
  asList,
  asNumber,
  asText,
  at,
  canonicalJson,
  entriesOf,
  isList,
  isMap,
  type Json,
  type JsonMap,
  member,
} from "../json/json.ts";
import { decodeUtf8, readDataUrl, sha256 } from "./text.ts";
import { writeText } from "./yaml.ts";

/** A section of the diff. The heading shows all properties that are not in the lines. */
export type IgnitionSection = { readonly heading: string; readonly lines: readonly string[] };

/**
 * Returns the sections that replace each list. Different lists have different sections, unless only the encoding
 * differs. Never throws.
 */
export function ignitionSections(object: KubeObject): ReadonlyMap<Json, readonly IgnitionSection[]> {
  if (object.kind !== "MachineConfig") return new Map();
  const config = at(object, "spec", "config");
  const files = at(config, "storage", "files");
  const units = at(config, "systemd", "units");
  return new Map([
    ...(isList(files) ? [[files, files.flatMap(fileSections)] as const] : []),
    ...(isList(units) ? [[units, units.flatMap(unitSections)] as const] : []),
  ]);
}

function fileSections(file: Json): readonly IgnitionSection[] {
  const path = asText(member(file, "path"));
  if (!isMap(file) || path === undefined) return [unreadable(file)];
  const name = `~ file ${writeText(path)}`;
  const mode = readMode(file["mode"]);
  const contents = readResource(file["contents"]);
  const appended = readResources(file["append"]);
  const rest = without(file, [
    "path",
    ...(mode === undefined ? [] : ["mode"]),
    ...(contents === undefined ? [] : ["contents"]),
    ...(appended.length === 0 ? [] : ["append"]),
  ]);
  return [
    section({ title: `${name}${mode === undefined ? "" : ` (mode ${mode})`}`, rest }, contents ?? noContents),
    ...appended.map((part, index) => section({ title: `${name}, append ${index + 1}`, rest: {} }, part)),
  ];
}

function unitSections(unit: Json): readonly IgnitionSection[] {
  const name = asText(member(unit, "name"));
  if (!isMap(unit) || name === undefined) return [unreadable(unit)];
  const { enabled, contents, dropins } = unit;
  const isState = typeof enabled === "boolean";
  const text = asText(contents);
  const parts = isList(dropins) ? dropins : [];
  const rest = without(unit, [
    "name",
    ...(isState ? ["enabled"] : []),
    ...(text === undefined ? [] : ["contents"]),
    ...(isList(dropins) ? ["dropins"] : []),
  ]);
  const state = isState ? ` (${enabled ? "enabled" : "disabled"})` : "";
  return [
    section(
      { title: `~ unit ${writeText(name)}${state}`, rest },
      text === undefined ? noContents : { ...readText(text), rest: {} },
    ),
    ...parts.map((dropin) => dropinSection(name, dropin)),
  ];
}

function dropinSection(unit: string, dropin: Json): IgnitionSection {
  const name = asText(member(dropin, "name"));
  const text = asText(member(dropin, "contents"));
  if (!isMap(dropin) || name === undefined || text === undefined) return unreadable(dropin);
  const title = `~ drop-in ${writeText(`${unit}.d/${name}`)}`;
  return section({ title, rest: without(dropin, ["name", "contents"]) }, { ...readText(text), rest: {} });
}

// JSON has no octal numbers: 420 is 0644.
function readMode(mode: Json | undefined): string | undefined {
  const bits = asNumber(mode);
  return bits !== undefined && Number.isInteger(bits) && bits >= 0 ? bits.toString(8).padStart(4, "0") : undefined;
}

/** `notes` replace content that cannot be shown. `rest` contains the other members. */
type Contents = { readonly notes: readonly string[]; readonly lines: readonly string[]; readonly rest: JsonMap };

const noContents: Contents = { notes: [], lines: [], rest: {} };

/** The maximum length of a source, which is larger than any file that fits in a MachineConfig. */
const longestSource = 1 << 20;

/** Decodes the content. Returns undefined if it is remote or cannot be decoded. */
function readResource(resource: Json | undefined): Contents | undefined {
  const source = asText(member(resource, "source"));
  if (!isMap(resource) || source === undefined) return undefined;
  const rest = without(resource, ["source"]);
  if (source.length > longestSource)
    return { notes: [`not decoded, ${source.length} characters, sha256 ${sha256(source)}`], lines: [], rest };
  const bytes = readDataUrl(source);
  if (bytes === undefined) return undefined;
  const text = isCompressed(resource) ? undefined : decodeUtf8(bytes);
  if (text !== undefined) return { ...readText(text), rest };
  return { notes: [`binary, ${bytes.length} bytes, sha256 ${sha256(bytes)}`], lines: [], rest };
}

/** Decodes all resources. Returns an empty list if any of them cannot be decoded. */
function readResources(resources: Json | undefined): readonly Contents[] {
  const read = asList(resources).map(readResource);
  return read.every((each) => each !== undefined) ? read : [];
}

function isCompressed({ compression }: JsonMap): boolean {
  return compression !== undefined && compression !== null && compression !== "";
}

function readText(text: string): Omit<Contents, "rest"> {
  if (text === "") return { notes: ["empty"], lines: [] };
  const isEscaped = invisible.test(text);
  const isEnded = text.endsWith("\n");
  const notes = [...(isEscaped ? ["escaped"] : []), ...(isEnded ? [] : ["no newline at end"])];
  const lines = (isEnded ? text.slice(0, -1) : text).split("\n");
  return { notes, lines: isEscaped ? lines.map(escape) : lines };
}

// Invisible characters could hide what a script runs.
const invisible = /[^\P{Cc}\t\n]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const eachInvisible = new RegExp(invisible, "gu");

function escape(line: string): string {
  const codeOf = (sign: string) => (sign.codePointAt(0) ?? 0).toString(16);
  return line.replaceAll("\\", "\\\\").replaceAll(eachInvisible, (sign) => `\\u{${codeOf(sign)}}`);
}

type Heading = { readonly title: string; readonly rest: JsonMap };

function section({ title, rest }: Heading, { notes, lines, rest: inner }: Contents): IgnitionSection {
  const members = [...entriesOf(rest), ...entriesOf(inner).map(([key, value]) => [`contents.${key}`, value] as const)];
  const others = members.map(([key, value]) => `${writeText(key)}: ${canonicalJson(value)}`);
  return { heading: [title, ...notes, ...others].join(", "), lines };
}

function unreadable(part: Json): IgnitionSection {
  return { heading: `- ${canonicalJson(part)}`, lines: [] };
}

function without(map: JsonMap, keys: readonly string[]): JsonMap {
  return Object.fromEntries(entriesOf(map).filter(([key]) => !keys.includes(key)));
}
