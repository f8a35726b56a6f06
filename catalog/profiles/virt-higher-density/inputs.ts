// What higher density depends on outside: the values of the HyperConverged that it writes and the user did not pin.

import type { Input } from "@virt/advisor";
import { canonicalJson } from "@virt/engine";
import type { DensityFacts } from "./facts.ts";
import { liveRatio, liveSelector } from "./live.ts";
import type { Options } from "./options.ts";
import { type Wanted, wantedOf } from "./wanted.ts";

/** KSM that is off is neither written nor watched. */
export function inputs(given: Options | undefined, facts: DensityFacts): readonly Input[] {
  const { ksm, ratio } = wantedOf(given);
  return [
    ...(ksm === undefined || ksm.isPinned ? [] : [ksmInput(ksm, facts)]),
    ...(ratio.isPinned ? [] : [ratioInput(ratio, facts)]),
  ];
}

// An absent HyperConverged is an absent target, which is drift, and says nothing about an input.
function ksmInput({ selector }: NonNullable<Wanted["ksm"]>, { hco }: DensityFacts): Input {
  const live = liveSelector(hco.object);
  const isOn = (value: string) => value !== "";
  return {
    name: "ksmConfiguration",
    now: hco.object === undefined ? undefined : live === undefined ? "" : canonicalJson(live),
    planned: canonicalJson(selector),
    describe: (was, now) => `HCO KSM configuration changed (was ${isOn(was)}, now ${isOn(now)})`,
  };
}

function ratioInput({ percent }: Wanted["ratio"], { hco }: DensityFacts): Input {
  return {
    name: "memoryOvercommitPercentage",
    now: hco.object === undefined ? undefined : String(liveRatio(hco.object)),
    planned: String(percent),
    describe: (was, now) => `HCO memoryOvercommitPercentage changed (${was} -> ${now})`,
  };
}
