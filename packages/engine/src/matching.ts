// Which lines of two texts correspond: the longest common run first, then left and right of it, as Python's difflib does.

/** `length` lines from `old` on correspond to as many from `fresh` on. */
export type Run = { readonly old: number; readonly fresh: number; readonly length: number };

/** A part of both texts, each up to but not including its end. */
export type Span = {
  readonly oldFrom: number;
  readonly oldTo: number;
  readonly freshFrom: number;
  readonly freshTo: number;
};

/** In order, none adjacent to the next. Texts made to be slow to match (thousands of equal lines) are matched in part only. */
export function matchLines(old: readonly string[], fresh: readonly string[]): readonly Run[] {
  const longestRun = searcher(old, fresh);
  const found: Run[] = [];
  const open: Span[] = [{ oldFrom: 0, oldTo: old.length, freshFrom: 0, freshTo: fresh.length }];
  for (let span = open.pop(); span !== undefined; span = open.pop()) {
    const run = longestRun(span);
    if (run === undefined) continue;
    found.push(run);
    open.push({ ...span, oldTo: run.old, freshTo: run.fresh });
    open.push({ ...span, oldFrom: run.old + run.length, freshFrom: run.fresh + run.length });
  }
  return joined(found.toSorted((left, right) => left.old - right.old));
}

// Lines and pairs of equal lines looked at in all, some tenths of a second. Real objects need thousands.
const patience = 4_000_000;

// Ties go to the smallest start in the old text, then in the fresh one: `>` and the ascending loops see to that.
function searcher(old: readonly string[], fresh: readonly string[]) {
  const places = placesOf(fresh);
  const rows = new Rows(fresh.length);
  let looked = 0;
  return (span: Span): Run | undefined => {
    let best: Run = { old: 0, fresh: 0, length: 0 };
    rows.skip();
    for (let at = span.oldFrom; at < span.oldTo; at++) {
      const candidates = places.get(old[at] ?? "") ?? [];
      looked += 1 + candidates.length;
      if (looked > patience) return undefined;
      best = longestEndingAt(at, { candidates, rows, span, best });
    }
    return best.length > 0 ? best : undefined;
  };
}

type Search = { readonly candidates: readonly number[]; readonly rows: Rows; readonly span: Span; readonly best: Run };

function longestEndingAt(at: number, { candidates, rows, span, best }: Search): Run {
  let longest = best;
  rows.next();
  for (const place of candidates) {
    if (place >= span.freshTo) break;
    const length = place < span.freshFrom ? 0 : rows.extend(place);
    if (length > longest.length) longest = { old: at - length + 1, fresh: place - length + 1, length };
  }
  return longest;
}

// Lengths of the runs that end at a place, for the present line of the old text and the one above it.
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

  /** The next row has none above it. */
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

function joined(runs: readonly Run[]): readonly Run[] {
  const result: Run[] = [];
  for (const run of runs) {
    const last = result.at(-1);
    const isAdjacent =
      last !== undefined && last.old + last.length === run.old && last.fresh + last.length === run.fresh;
    if (isAdjacent) result.splice(-1, 1, { ...last, length: last.length + run.length });
    else result.push(run);
  }
  return result;
}
