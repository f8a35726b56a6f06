// Checks properties against random observations. Each test file generates them once, because that is slow.

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

/** Memoized for all properties. */
export function decided(observed: Observed): Decision {
  const known = decisions.get(observed) ?? transition(observed);
  decisions.set(observed, known);
  return known;
}

/** If a sample violates the property, repeats with fast-check so that it shrinks the example. */
export function expectLaw(law: (observed: Observed) => boolean): void {
  const broken = samples().find((observed) => !law(observed));
  if (broken === undefined) return;
  fc.assert(
    fc.property(anyObserved, (observed) => law(observed)),
    { seed },
  );
  throw new Error(`broken by ${JSON.stringify(broken)}`);
}
