// Inputs that cannot be read: worth a word when it lasts.

import type { Kept } from "./acting.ts";
import type { Pass } from "./keep.ts";
import { type Told, warning } from "./tell.ts";

const patienceMs = 60_000;

export type Unread = {
  readonly told: readonly Told[];
  /** When it will have lasted long enough to be told; undefined: all is read, or it is told. */
  readonly dueAt?: number;
};

/** `since` remembers, by object, from when on an input is missing. */
export function unreadInputs(
  key: string,
  { kept, evaluated }: Pick<Pass, "kept" | "evaluated">,
  { since, now }: { readonly since: Map<string, number>; readonly now: number },
): Unread {
  const missing = [...evaluated.standings.values()].flatMap((standing) =>
    standing.kind === "held" && standing.reason === "InputUnavailable" ? [standing.details] : [],
  );
  const [first] = [...missing, ...unseen(key, kept)];
  if (first === undefined) {
    since.delete(key);
    return { told: [] };
  }
  const begun = since.get(key) ?? now;
  since.set(key, begun);
  if (now - begun < patienceMs) return { told: [], dueAt: begun + patienceMs };
  const [read = "", ...why] = first.split(": ");
  const note = `Input ${read} unavailable, assets keep their last state: ${why.join(": ")}`;
  return { told: warning("InputUnavailable", note) };
}

/** The object itself cannot be seen. */
function unseen(key: string, kept: Kept): readonly string[] {
  if (kept.kind !== "verdict" || kept.verdict.kind !== "held" || kept.verdict.reason !== "InputUnavailable") return [];
  return [`${key}: ${kept.verdict.message}`];
}
