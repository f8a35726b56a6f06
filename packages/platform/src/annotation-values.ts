// How values that people write into annotations are read, shown back to them, and corrected.

import type { Json } from "@virt/api";
import { utf8Length } from "@virt/engine";
import { isWithin } from "@virt/facts";
import { load } from "js-yaml";

export type YamlText =
  | { readonly kind: "value"; readonly value: Json }
  | { readonly kind: "refused"; readonly reason: string };

/** JSON is YAML. Keys given twice, tags of other types and a second document are refused. */
export function readYaml(text: string, mostBytes: number): YamlText {
  const bytes = utf8Length(text);
  if (bytes > mostBytes) return { kind: "refused", reason: `text exceeds ${mostBytes} bytes: ${bytes}` };
  if ([...text.matchAll(/^---/gm)].length > 1) return { kind: "refused", reason: "not YAML: more than one document" };
  try {
    return { kind: "value", value: load(text, limits) as Json };
  } catch (error) {
    const [line = ""] = String(error instanceof Error ? error.message : error).split("\n", 1);
    return { kind: "refused", reason: `not YAML: ${shorten(line, 160)}` };
  }
}

// Nothing that is read here goes deeper than a list in an entry of a list.
const limits = { maxDepth: 8, maxAliases: 0 };

const part = "[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?";
const domainShape = new RegExp(`^${part}(?:\\.${part})*$`);
const nameShape = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** Qualified, and not of a domain that belongs to Kubernetes. */
export function isResourceName(text: string): boolean {
  const [domain = "", name = "", ...rest] = text.split("/");
  const isQualified = domain.length <= 253 && domainShape.test(domain) && nameShape.test(name) && rest.length === 0;
  return isQualified && !isWithin(domain, "kubernetes.io");
}

/** What people wrote, short enough to be shown back to them. */
export function shorten(text: string, most = 60): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** Of equally near words the first one. Case does not count. */
export function nearest(word: string, words: readonly string[]): string {
  return ranked(word, words)?.other ?? "";
}

/** The word that was very likely meant; undefined: none is near enough to say so. */
export function likelyMeant(word: string, words: readonly string[]): string | undefined {
  const synonym = synonyms.get(word.toLowerCase());
  if (synonym !== undefined && words.includes(synonym)) return synonym;
  const best = ranked(word, words);
  return best !== undefined && best.steps <= Math.max(word.length > 3 ? 2 : 1, word.length / 3)
    ? best.other
    : undefined;
}

/** `; did you mean <word>?`, or nothing where no word is near. */
export function didYouMean(word: string, words: readonly string[]): string {
  const meant = likelyMeant(word, words);
  return meant === undefined ? "" : `; did you mean ${meant}?`;
}

const synonyms: ReadonlyMap<string, string> = new Map([
  ...["yes", "y", "on", "1", "t", "enable", "enabled"].map((word) => [word, "true"] as const),
  ...["no", "n", "off", "0", "f", "disable", "disabled"].map((word) => [word, "false"] as const),
]);

function ranked(
  word: string,
  words: readonly string[],
): { readonly other: string; readonly steps: number } | undefined {
  const letters = word.slice(0, longest).toLowerCase();
  return words
    .map((other) => ({ other, steps: distance(letters, other.toLowerCase()) }))
    .reduce<{ other: string; steps: number } | undefined>(
      (best, each) => (best === undefined || each.steps < best.steps ? each : best),
      undefined,
    );
}

// Keys have 63 characters at most, and words that are longer are not near anything.
const longest = 64;

/** Levenshtein: how many letters are to be put in, taken out or changed. */
function distance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (let above = 0; above < left.length; above++) {
    const next = [above + 1];
    for (let at = 1; at <= right.length; at++) {
      const changed = (row[at - 1] ?? 0) + (left[above] === right[at - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
