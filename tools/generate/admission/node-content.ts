// Holds an operator's account to the MachineConfigs that the catalog renders: they run as root on nodes.

import type { Profile } from "@virt/advisor";
import type { NodeContent, VariableText } from "@virt/api";
import { asList, asText, at, isMap, type Json, roleLabel, writeDataUrl } from "@virt/engine";
import type { Asset } from "@virt/platform";
import { celText, type Policy, type Validation } from "./policy.ts";

const kind = "MachineConfig";

export type ContentRules = Pick<Policy, "variables" | "validations">;

/** Throws where a MachineConfig is declared without its content. */
export function contentOfProfiles(profiles: readonly Pick<Profile, "name" | "targets">[]): readonly NodeContent[] {
  return profiles.flatMap(({ targets }) =>
    targets.flatMap((target) => {
      if (target.kind !== kind) return [];
      return target.names.map((name) =>
        declared(
          name,
          (target.content ?? []).find(({ object }) => object.metadata.name === name),
        ),
      );
    }),
  );
}

export function contentOfAssets(assets: readonly Pick<Asset, "target" | "content">[]): readonly NodeContent[] {
  const configs = assets.filter(({ target }) => target.kind === kind);
  return configs.map(({ target, content }) => declared(target.name, content));
}

function declared(name: string, content: NodeContent | undefined): NodeContent {
  if (content?.object.metadata.name === name) return content;
  throw new Error(`MachineConfig ${name} is a target without content: admission policies could not hold us to it`);
}

/** The parts of a spec that we fill, each checked key by key but for the inner ones. */
const levels = [
  { name: "spec", of: undefined, path: ["spec"], inner: ["config"] },
  { name: "config", of: "spec", path: ["spec", "config"], inner: ["ignition", "storage", "systemd"] },
  { name: "ignition", of: "config", path: ["spec", "config", "ignition"], inner: [] },
  { name: "storage", of: "config", path: ["spec", "config", "storage"], inner: ["files"] },
  { name: "systemd", of: "config", path: ["spec", "config", "systemd"], inner: ["units"] },
] as const;
const lists = [
  { name: "files", of: "storage" },
  { name: "units", of: "systemd" },
] as const;

/**
 * What is written is what the catalog renders, or was there before. Where somebody may write more by an annotation on the
 * object, `exempt` says so.
 */
export function contentRules(operator: string, contents: readonly NodeContent[], exempt?: string): ContentRules {
  const refuse = (what: string, expression: string): Validation => ({
    expression: `!variables.isPinned ||\n${expression}`,
    messageExpression: [
      `${celText(`${operator} may not write ${what} of ${kind} `)} + variables.name +`,
      "': its catalog renders no such content. Next: where the operator was upgraded, apply the admission policies of its release'",
    ].join("\n"),
  });
  return {
    variables: [
      {
        name: "isPinned",
        expression: exempt === undefined ? isMachineConfig : `${isMachineConfig} &&\n!(${exempt})`,
      },
      { name: "contents", expression: celValue(Object.fromEntries(contents.map(contentEntry))) },
      { name: "content", expression: "variables.contents[?variables.name].orValue({})" },
      ...["object", "oldObject"].map((from) => ({
        name: `${from}Role`,
        expression: `${from} == null ? '' : ${from}.metadata.?labels[?${celText(roleLabel)}].orValue('')`,
      })),
      ...levels.flatMap(versionsOf),
      ...lists.flatMap(({ name, of }) => elementsOf(name, of)),
    ],
    validations: [
      refuse(
        "the role",
        "variables.objectRole in ['', variables.oldObjectRole] || variables.objectRole == variables.content.?role.orValue('')",
      ),
      ...levels.map(({ name, path, inner }) => refuse(path.join("."), onlyKnown(name, inner))),
      ...lists.map(({ name }) => refuse(name, elementsAreKnown(name, variableFilesOf(contents)))),
    ],
  };
}

const written = ["CREATE", "UPDATE"].map((verb) => celText(`${verb} machineconfigs.machineconfiguration.openshift.io`));
const isMachineConfig = `variables.write in [${written.join(", ")}]`;

function contentEntry({ object, variableFiles = {} }: NodeContent): readonly [string, Json] {
  const files = asList(at(object, "spec", "config", "storage", "files"));
  const constant = files.filter((file) => !Object.hasOwn(variableFiles, asText(at(file, "path")) ?? ""));
  const spec = JSON.parse(
    JSON.stringify(object["spec"], (key, value: Json) => (key === "files" ? constant : value)),
  ) as Json;
  return [object.metadata.name, { role: object.metadata.labels?.[roleLabel] ?? "", spec }];
}

// The same part of the new object, of the old one and of the catalog's. Anybody may have written the old one, with a text where a map
// belongs: that must not keep the operator from putting it right.
function versionsOf({ name, of, path }: (typeof levels)[number]) {
  const place = path.join(".?");
  const before = of === undefined ? `oldObject.?${place}.orValue({})` : `variables.${of}Before.?${name}.orValue({})`;
  return [
    { name: `${name}After`, expression: `object == null ? {} : object.?${place}.orValue({})` },
    {
      name: `${name}Before`,
      expression: `oldObject != null && type(${before}) == map ? ${before} : dyn({})`,
    },
    { name: `${name}Rendered`, expression: `variables.content.?${place}.orValue({})` },
  ];
}

function elementsOf(name: string, of: string) {
  const elements = (when: string) => `variables.${of}${when}.?${name}.orValue([])`;
  return [
    { name: `${name}After`, expression: elements("After") },
    { name: `${name}Before`, expression: `type(${elements("Before")}) == list ? ${elements("Before")} : dyn([])` },
    { name: `${name}Rendered`, expression: elements("Rendered") },
  ];
}

function onlyKnown(name: string, inner: readonly string[]): string {
  const isInner = `key in [${inner.map(celText).join(", ")}]`;
  const isFrom = (when: string) =>
    `(key in variables.${name}${when} && variables.${name}${when}[key] == variables.${name}After[key])`;
  return `variables.${name}After.all(key, ${isInner} ||\n  ${isFrom("Rendered")} ||\n  ${isFrom("Before")})`;
}

type VariableFile = { readonly config: string; readonly file: Json; readonly pattern: string };

function elementsAreKnown(name: "files" | "units", variable: readonly VariableFile[]): string {
  const known = `one in variables.${name}Rendered || one in variables.${name}Before`;
  const varying = name === "files" ? variable.map((file) => ` ||\n  (${isVariant(file)})`).join("") : "";
  return `variables.${name}After.all(one, ${known}${varying})`;
}

function variableFilesOf(contents: readonly NodeContent[]): readonly VariableFile[] {
  return contents.flatMap(({ object, variableFiles = {} }) =>
    Object.entries(variableFiles).map(([path, text]) => {
      const files = asList(at(object, "spec", "config", "storage", "files"));
      const file = files.find((one) => at(one, "path") === path);
      if (file === undefined) throw new Error(`MachineConfig ${object.metadata.name} has no file ${path}`);
      return { config: object.metadata.name, file, pattern: sourcePattern(text) };
    }),
  );
}

// Like the declared one in everything but the text.
function isVariant({ config, file, pattern }: VariableFile): string {
  if (!isMap(file)) throw new Error(`a file of MachineConfig ${config} is no map`);
  const { contents: _contents, ...rest } = file;
  const same = Object.entries(rest).map(([key, value]) => `one.?${key}.orValue('') == ${celValue(value ?? null)}`);
  return [
    `variables.name == ${celText(config)}`,
    `one.size() == ${Object.keys(file).length}`,
    ...same,
    "one.contents.size() == 1",
    `one.contents.?source.orValue('').matches(${celText(pattern)})`,
  ].join(" && ");
}

const base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/**
 * What the data URL of such a text looks like. Policies cannot decode base64: each of its signs is held to those that the alphabet
 * can give, which keeps line breaks and blanks out.
 */
export function sourcePattern({ begin, alphabet, end }: VariableText): string {
  if (begin.length % 3 !== 0 || end !== "\n") throw new Error(`no pattern for text that begins with ${begin}`);
  const letters = alphabet.split("").map((letter) => letter.charCodeAt(0));
  const first = signs(letters.map((byte) => byte >> 2));
  const group = (last: readonly number[]) =>
    `${first}(${middles(letters, last).join("|")})${signs(last.map((byte) => byte & 63))}`;
  // The line break is the third, the second or the first byte of the last group.
  const endings = [group([newline]), `${first}${signs([0, 16, 32, 48])}o=`, "Cg=="];
  return `^${escape(writeDataUrl(begin))}(${group(letters)})*(${endings.join("|")})$`;
}

const newline = 0x0a;

/** The two signs that hold the second byte, one alternative for each of its upper halves. */
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

/** JSON as CEL. Its aggregates must be of one type, which every value has when it is dynamic. */
export function celValue(value: Json): string {
  if (Array.isArray(value)) return `[${value.map((one: Json) => celDynamic(one)).join(", ")}]`;
  if (isMap(value)) {
    const members = Object.entries(value).map(([key, one]) => `${celText(key)}: ${celDynamic(one ?? null)}`);
    return `{${members.join(", ")}}`;
  }
  return JSON.stringify(value);
}

const celDynamic = (value: Json): string => `dyn(${celValue(value)})`;
