// The hunks of a unified diff, from lines to lines.

import { matchLines, type Run, type Span } from "./matching.ts";

const context = 3;

/** Nothing for equal texts. Changes with at most six equal lines between them share a hunk. */
export function writeHunks(old: readonly string[], fresh: readonly string[]): readonly string[] {
  const differences = differencesOf(matchLines(old, fresh), old.length, fresh.length);
  return grouped(differences).flatMap((group) => writeHunk(group, old, fresh));
}

/** A side without lines is said to begin at line 0. */
export function hunkHeader(old: { from: number; count: number }, fresh: { from: number; count: number }): string {
  const range = ({ from, count }: { from: number; count: number }) => `${count === 0 ? from : from + 1},${count}`;
  return `@@ -${range(old)} +${range(fresh)} @@`;
}

function differencesOf(runs: readonly Run[], oldLength: number, freshLength: number): readonly Span[] {
  const end: Run = { old: oldLength, fresh: freshLength, length: 0 };
  const result: Span[] = [];
  let oldFrom = 0;
  let freshFrom = 0;
  for (const run of [...runs, end]) {
    if (oldFrom < run.old || freshFrom < run.fresh) {
      result.push({ oldFrom, oldTo: run.old, freshFrom, freshTo: run.fresh });
    }
    oldFrom = run.old + run.length;
    freshFrom = run.fresh + run.length;
  }
  return result;
}

function grouped(differences: readonly Span[]): readonly (readonly Span[])[] {
  const groups: Span[][] = [];
  for (const difference of differences) {
    const group = groups.at(-1);
    const previous = group?.at(-1);
    const isNear = previous !== undefined && difference.oldFrom - previous.oldTo <= 2 * context;
    if (group !== undefined && isNear) group.push(difference);
    else groups.push([difference]);
  }
  return groups;
}

function writeHunk(group: readonly Span[], old: readonly string[], fresh: readonly string[]): readonly string[] {
  const [first] = group;
  const last = group.at(-1);
  if (first === undefined || last === undefined) return [];
  const before = Math.min(context, first.oldFrom);
  const from = { old: first.oldFrom - before, fresh: first.freshFrom - before };
  const after = Math.min(context, old.length - last.oldTo);
  const to = { old: last.oldTo + after, fresh: last.freshTo + after };
  const header = hunkHeader(
    { from: from.old, count: to.old - from.old },
    { from: from.fresh, count: to.fresh - from.fresh },
  );
  const changes = group.flatMap((span, at) => [
    ...prefixed(" ", old.slice(group[at - 1]?.oldTo ?? from.old, span.oldFrom)),
    ...prefixed("-", old.slice(span.oldFrom, span.oldTo)),
    ...prefixed("+", fresh.slice(span.freshFrom, span.freshTo)),
  ]);
  return [header, ...changes, ...prefixed(" ", old.slice(last.oldTo, to.old))];
}

function prefixed(sign: string, lines: readonly string[]): readonly string[] {
  return lines.map((line) => `${sign}${line}`);
}
