// Computes unified diffs. Matches lines like Python's difflib: finds the longest common run, then continues on both
// sides of it.

const context = 3;

/** Returns the heading of the section that contains a line. Hunks that start inside a section show it. */
export type HeadingAt = (line: number) => string | undefined;

/** Changes with at most six equal lines between them share a hunk. */
export function writeHunks(
  old: readonly string[],
  fresh: readonly string[],
  headingAt: HeadingAt = () => undefined,
): readonly string[] {
  const differences = differencesOf(matchLines(old, fresh), old.length, fresh.length);
  return grouped(differences).flatMap((group) => writeHunk(group, { old, fresh, headingAt }));
}

/** Uses line 0 for a side without lines. */
export function hunkHeader(old: { from: number; count: number }, fresh: { from: number; count: number }): string {
  const range = ({ from, count }: { from: number; count: number }) => `${count === 0 ? from : from + 1},${count}`;
  return `@@ -${range(old)} +${range(fresh)} @@`;
}

function differencesOf(runs: readonly LineRun[], oldLength: number, freshLength: number): readonly LineSpan[] {
  const end: LineRun = { old: oldLength, fresh: freshLength, length: 0 };
  const result: LineSpan[] = [];
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

function grouped(differences: readonly LineSpan[]): readonly (readonly LineSpan[])[] {
  const groups: LineSpan[][] = [];
  for (const difference of differences) {
    const group = groups.at(-1);
    const previous = group?.at(-1);
    const isNear = previous !== undefined && difference.oldFrom - previous.oldTo <= 2 * context;
    if (group !== undefined && isNear) group.push(difference);
    else groups.push([difference]);
  }
  return groups;
}

type Sides = { readonly old: readonly string[]; readonly fresh: readonly string[]; readonly headingAt: HeadingAt };

function writeHunk(group: readonly LineSpan[], { old, fresh, headingAt }: Sides): readonly string[] {
  const [start] = group;
  const last = group.at(-1);
  if (start === undefined || last === undefined) return [];
  const before = Math.min(context, start.oldFrom);
  const from = { old: start.oldFrom - before, fresh: start.freshFrom - before };
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
  const heading = headingAt(from.old);
  const first = heading === undefined ? header : `${header} ${heading}`;
  return [first, ...changes, ...prefixed(" ", old.slice(last.oldTo, to.old))];
}

function prefixed(sign: string, lines: readonly string[]): readonly string[] {
  return lines.map((line) => `${sign}${line}`);
}

export type LineRun = { readonly old: number; readonly fresh: number; readonly length: number };

export type LineSpan = {
  readonly oldFrom: number;
  readonly oldTo: number;
  readonly freshFrom: number;
  readonly freshTo: number;
};

/** Returns matching runs in order. Gives up on inputs that are slow to match, such as thousands of equal lines. */
export function matchLines(old: readonly string[], fresh: readonly string[]): readonly LineRun[] {
  const longestRun = searcher(old, fresh);
  const found: LineRun[] = [];
  const open: LineSpan[] = [{ oldFrom: 0, oldTo: old.length, freshFrom: 0, freshTo: fresh.length }];
  for (let span = open.pop(); span !== undefined; span = open.pop()) {
    const run = longestRun(span);
    if (run === undefined) continue;
    found.push(run);
    open.push({ ...span, oldTo: run.old, freshTo: run.fresh });
    open.push({ ...span, oldFrom: run.old + run.length, freshFrom: run.fresh + run.length });
  }
  return joined(found.toSorted((left, right) => left.old - right.old));
}

// The maximum number of comparisons, which take a few tenths of a second. Real objects need only thousands.
const patience = 4_000_000;

// Of equally long runs, the first one in the old text counts, then the first one in the new text. This follows from `>`
// and the ascending loops.
function searcher(old: readonly string[], fresh: readonly string[]) {
  const places = placesOf(fresh);
  const rows = new Rows(fresh.length);
  let compared = 0;
  return (span: LineSpan): LineRun | undefined => {
    let best: LineRun = { old: 0, fresh: 0, length: 0 };
    rows.skip();
    for (let at = span.oldFrom; at < span.oldTo; at++) {
      const candidates = places.get(old[at] ?? "") ?? [];
      compared += 1 + candidates.length;
      if (compared > patience) return undefined;
      best = longestEndingAt(at, { candidates, rows, span, best });
    }
    return best.length > 0 ? best : undefined;
  };
}

type Search = {
  readonly candidates: readonly number[];
  readonly rows: Rows;
  readonly span: LineSpan;
  readonly best: LineRun;
};

function longestEndingAt(at: number, { candidates, rows, span, best }: Search): LineRun {
  let longest = best;
  rows.next();
  for (const place of candidates) {
    if (place >= span.freshTo) break;
    const length = place < span.freshFrom ? 0 : rows.extend(place);
    if (length > longest.length) longest = { old: at - length + 1, fresh: place - length + 1, length };
  }
  return longest;
}

// The lengths of the runs that end at each position, for two lines of the old text.
class Rows {
  readonly #lengths: readonly [Int32Array, Int32Array];
  readonly #rowOf: readonly [Int32Array, Int32Array];
  #row = 1;

  constructor(size: number) {
    this.#lengths = [new Int32Array(size), new Int32Array(size)];
    this.#rowOf = [new Int32Array(size), new Int32Array(size)];
  }

  next(): void {
    this.#row++;
  }

  /** Skips a row, so that the next one has no previous row. */
  skip(): void {
    this.#row += 2;
  }

  extend(place: number): number {
    const here = this.#row % 2 === 0 ? 0 : 1;
    const above = here === 0 ? 1 : 0;
    const hasAbove = this.#rowOf[above][place - 1] === this.#row - 1;
    const length = hasAbove ? (this.#lengths[above][place - 1] ?? 0) + 1 : 1;
    this.#lengths[here][place] = length;
    this.#rowOf[here][place] = this.#row;
    return length;
  }
}

function placesOf(lines: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  lines.forEach((line, at) => {
    const known = places.get(line);
    if (known === undefined) places.set(line, [at]);
    else known.push(at);
  });
  return places;
}

function joined(runs: readonly LineRun[]): readonly LineRun[] {
  const result: LineRun[] = [];
  for (const run of runs) {
    const last = result.at(-1);
    const isAdjacent =
      last !== undefined && last.old + last.length === run.old && last.fresh + last.length === run.fresh;
    if (isAdjacent) result.splice(-1, 1, { ...last, length: last.length + run.length });
    else result.push(run);
  }
  return result;
}
