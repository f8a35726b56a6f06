// Reads annotation values written by users, and suggests corrections.

import type { Json } from "@virt/api";
import { isWithin } from "@virt/cluster";
import { utf8Length } from "@virt/objects";
import { load } from "js-yaml";

export type YamlText =
  | { readonly kind: "value"; readonly value: Json }
  | { readonly kind: "refused"; readonly reason: string };

/** Parses YAML, which includes JSON. Rejects duplicate keys, custom tags and more than one document. */
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

// Limits for YAML. Valid values are not deeply nested. Aliases are forbidden, because with them, a small string can
// expand to a huge value.
const limits = { maxDepth: 8, maxAliases: 0 };

const part = "[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?";
const domainShape = new RegExp(`^${part}(?:\\.${part})*$`);
const nameShape = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** Reports whether a string is a qualified resource name outside the kubernetes.io domains. */
export function isResourceName(text: string): boolean {
  const [domain = "", name = "", ...rest] = text.split("/");
  const isQualified = domain.length <= 253 && domainShape.test(domain) && nameShape.test(name) && rest.length === 0;
  return isQualified && !isWithin(domain, "kubernetes.io");
}

/** Truncates user input for messages. */
export function shorten(text: string, most = 60): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** Returns the most similar word, ignoring case. If several are equally similar, returns the first. */
export function nearest(word: string, words: readonly string[]): string {
  return ranked(word, words)?.other ?? "";
}

/** Returns the word that the user most likely meant, or undefined if none is close enough. */
export function likelyMeant(word: string, words: readonly string[]): string | undefined {
  const synonym = synonyms.get(word.toLowerCase());
  if (synonym !== undefined && words.includes(synonym)) return synonym;
  const best = ranked(word, words);
  return best !== undefined && best.steps <= Math.max(word.length > 3 ? 2 : 1, word.length / 3)
    ? best.other
    : undefined;
}

/** Returns `; did you mean <word>?`, or an empty string if no word is close. */
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

// Longer words are not compared. Annotation keys have at most 63 characters.
const longest = 64;

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
