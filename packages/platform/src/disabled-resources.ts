// Reads the disabled-resources annotation. Matching never backtracks to an earlier star, so that no pattern is slow.

import type { Json } from "@virt/api";
import { asText, isList, isMap, member } from "@virt/objects";
import { readYaml, shorten } from "./annotation-values.ts";

/** Excludes objects by kind, namespace pattern and name pattern. */
export type ExclusionRule = {
  /** Matches the exact kind, including its case. */
  readonly kind: string;
  readonly name: Glob;
  /** Undefined: matches any namespace, and cluster-scoped objects. */
  readonly namespace: Glob | undefined;
};

/** The rules of the disabled-resources annotation, or the reason why it is invalid. */
export type Exclusions =
  | { readonly kind: "rules"; readonly rules: readonly ExclusionRule[] }
  | { readonly kind: "refused"; readonly reason: string };

const limits = { bytes: 65_536, rules: 200 };

/** Reads the rules. One invalid rule makes all of them invalid, so that a typo does not disable other exclusions. */
export function readExclusions(annotation: string | undefined): Exclusions {
  const text = (annotation ?? "").trim();
  if (text === "") return { kind: "rules", rules: [] };
  const read = readYaml(text, limits.bytes);
  if (read.kind === "refused") return read;
  if (!isList(read.value)) return { kind: "refused", reason: "not a list" };
  const { length } = read.value;
  if (length > limits.rules) return { kind: "refused", reason: `more than ${limits.rules} rules: ${length}` };
  const rules: ExclusionRule[] = [];
  for (const [at, given] of read.value.entries()) {
    const rule = readRule(given);
    if (typeof rule === "string") return { kind: "refused", reason: `rule ${at}: ${rule}` };
    rules.push(rule);
  }
  return { kind: "rules", rules };
}

function readRule(given: Json): ExclusionRule | string {
  if (!isMap(given)) return "not a map";
  const other = Object.keys(given).find((key) => !keys.has(key));
  if (other !== undefined) return `unknown key ${shorten(other)}`;
  const kind = asText(member(given, "kind"));
  if (kind === undefined || kind === "") return "kind is required";
  const named = member(given, "name");
  if (named === undefined || named === null || named === "") return "name is required";
  const name = globOf(named);
  const place = member(given, "namespace");
  const namespace = place === undefined ? undefined : globOf(place);
  if (name === undefined || (place !== undefined && namespace === undefined)) return "invalid pattern";
  return { kind, name, namespace };
}

const keys: ReadonlySet<string> = new Set(["kind", "name", "namespace"]);

function globOf(value: Json): Glob | undefined {
  return typeof value === "string" ? readGlob(value) : undefined;
}

type Excludable = { readonly kind: string; readonly name: string; readonly namespace?: string };

/** Returns the index of the first rule that matches an object, or undefined if the object is not excluded. */
export function excludedBy(rules: readonly ExclusionRule[], target: Excludable): number | undefined {
  const found = rules.findIndex(
    ({ kind, name, namespace }) =>
      kind === target.kind &&
      matchesGlob(name, target.name) &&
      (namespace === undefined || matchesGlob(namespace, target.namespace ?? "")),
  );
  return found === -1 ? undefined : found;
}

/** Matches one character against ranges. `isNot` inverts the match. */
type One = { readonly ranges: readonly (readonly [string, string])[]; readonly isNot: boolean };
type Token = "many" | One;

export type Glob = readonly Token[];

const any: One = { ranges: [], isNot: true };
const longest = 512;

/** Parses a pattern. Undefined if invalid: an unclosed or empty class, a reversed range, or a trailing backslash. */
export function readGlob(pattern: string): Glob | undefined {
  if (pattern.length > longest) return undefined;
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; ) {
    const sign = pattern[at] ?? "";
    if (sign === "[") {
      const found = readClass(pattern, at + 1);
      if (found === undefined) return undefined;
      tokens.push(found.one);
      at = found.end;
    } else if (sign === "*") {
      if (tokens.at(-1) !== "many") tokens.push("many");
      at++;
    } else if (sign === "?") {
      tokens.push(any);
      at++;
    } else {
      const found = readSign(pattern, at);
      if (found === undefined) return undefined;
      tokens.push({ ranges: [[found.sign, found.sign]], isNot: false });
      at = found.end;
    }
  }
  return tokens;
}

function readSign(pattern: string, at: number): { readonly sign: string; readonly end: number } | undefined {
  const isEscaped = pattern[at] === "\\";
  const sign = pattern[isEscaped ? at + 1 : at];
  return sign === undefined ? undefined : { sign, end: at + (isEscaped ? 2 : 1) };
}

function readClass(pattern: string, start: number): { readonly one: One; readonly end: number } | undefined {
  const isNot = pattern[start] === "!" || pattern[start] === "^";
  const ranges: [string, string][] = [];
  let at = isNot ? start + 1 : start;
  while (pattern[at] !== "]") {
    const low = readSign(pattern, at);
    if (low === undefined) return undefined;
    const isRange = pattern[low.end] === "-" && pattern[low.end + 1] !== "]";
    const high = isRange ? readSign(pattern, low.end + 1) : low;
    if (high === undefined || high.sign < low.sign) return undefined;
    ranges.push([low.sign, high.sign]);
    at = high.end;
  }
  return ranges.length === 0 ? undefined : { one: { ranges, isNot }, end: at + 1 };
}

export function matchesGlob(glob: Glob, name: string): boolean {
  if (glob.filter((token) => token !== "many").length > name.length) return false;
  let [token, sign] = [0, 0];
  let star: { readonly token: number; sign: number } | undefined;
  while (sign < name.length) {
    const wanted = glob[token];
    if (wanted === "many") {
      star = { token, sign };
      token++;
    } else if (wanted !== undefined && fits(wanted, name[sign] ?? "")) {
      token++;
      sign++;
    } else if (star !== undefined) {
      star.sign++;
      [token, sign] = [star.token + 1, star.sign];
    } else return false;
  }
  return glob.slice(token).every((rest) => rest === "many");
}

function fits({ ranges, isNot }: One, sign: string): boolean {
  return ranges.some(([low, high]) => low <= sign && sign <= high) !== isNot;
}
