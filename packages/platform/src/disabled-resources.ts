// Reads the disabled-resources annotation: objects that the operator must never write.

import type { Json } from "@virt/api";
import { asText, isList, isMap, member } from "@virt/engine";
import { type Glob, matchesGlob, readGlob } from "./glob.ts";
import { readYaml } from "./read-yaml.ts";
import { shorten } from "./shorten.ts";

export type ExclusionRule = {
  /** Exact, with its case. */
  readonly kind: string;
  readonly name: Glob;
  /** Undefined: in any namespace, or in none. */
  readonly namespace: Glob | undefined;
};

export type Exclusions =
  | { readonly kind: "rules"; readonly rules: readonly ExclusionRule[] }
  | { readonly kind: "refused"; readonly reason: string };

const limits = { bytes: 65_536, rules: 200 };

/** One wrong rule refuses all: a typo must not switch exclusions off. */
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

// The rule, or why it is none.
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

/** The number of the first rule that an object falls under; undefined: it may be written. */
export function excludedBy(rules: readonly ExclusionRule[], target: Excludable): number | undefined {
  const found = rules.findIndex(
    ({ kind, name, namespace }) =>
      kind === target.kind &&
      matchesGlob(name, target.name) &&
      (namespace === undefined || matchesGlob(namespace, target.namespace ?? "")),
  );
  return found === -1 ? undefined : found;
}
