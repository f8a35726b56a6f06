// Checks properties against random observations. Each test file generates the observations once, because this is slow.

import fc from "fast-check";
import type { Decision, Observed } from "../observed.ts";
import { transition } from "../transition.ts";
import { anyObserved } from "./any-observed.ts";

const [seed = 0] = fc.sample(fc.integer(), 1);
let drawn: readonly Observed[] | undefined;

function samples(): readonly Observed[] {
  drawn ??= fc.sample(anyObserved, { seed });
  return drawn;
}

const decisions = new WeakMap<Observed, Decision>();

/** Memoized, because all properties check the same decisions. */
export function decided(observed: Observed): Decision {
  const known = decisions.get(observed) ?? transition(observed);
  decisions.set(observed, known);
  return known;
}

/** Checks the property. If a sample violates it, runs fast-check to find a smaller example. */
export function expectLaw(law: (observed: Observed) => boolean): void {
  const broken = samples().find((observed) => !law(observed));
  if (broken === undefined) return;
  fc.assert(
    fc.property(anyObserved, (observed) => law(observed)),
    { seed },
  );
  throw new Error(`broken by ${JSON.stringify(broken)}`);
}
