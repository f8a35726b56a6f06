// Holds a law against any world. The worlds are drawn once per test file: drawing one costs more than judging it.

import fc from "fast-check";
import { anyObserved } from "./any-observed.ts";
import type { Decision, Observed } from "./observed.ts";
import { transition } from "./transition.ts";

const numRuns = 20_000;
const [seed = 0] = fc.sample(fc.integer(), 1);
let drawn: readonly Observed[] | undefined;

export function worlds(): readonly Observed[] {
  drawn ??= fc.sample(anyObserved, { numRuns, seed });
  return drawn;
}

const decisions = new WeakMap<Observed, Decision>();

/** What is decided in a world, found once for all laws. */
export function decided(seen: Observed): Decision {
  const known = decisions.get(seen) ?? transition(seen);
  decisions.set(seen, known);
  return known;
}

/** A world that breaks the law is drawn again, to be shrunk and shown. */
export function expectLaw(law: (seen: Observed) => boolean): void {
  const broken = worlds().find((seen) => !law(seen));
  if (broken === undefined) return;
  fc.assert(
    fc.property(anyObserved, (seen) => law(seen)),
    { numRuns, seed },
  );
  throw new Error(`broken by ${JSON.stringify(broken)}`);
}
