// What load-aware rebalancing depends on outside its own targets.

import type { Input } from "@virt/advisor";
import { capabilityOf, softTainter } from "./capability.ts";
import type { LoadAwareFacts } from "./facts.ts";
import { derivedLimit, type Limit, limitsOf } from "./limits.ts";
import type { Options } from "./options.ts";
import { wantedOf } from "./wanted.ts";

export function inputs(given: Options | undefined, facts: LoadAwareFacts): readonly Input[] {
  const wanted = wantedOf(given);
  const derived = limitsOf(capabilityOf(facts.deschedulerSchema)).filter(({ option }) => wanted[option] === undefined);
  return [capabilityInput(facts), ...derived.map((limit) => limitInput(limit, facts))];
}

function capabilityInput({ deschedulerSchema }: LoadAwareFacts): Input {
  return {
    name: "deschedulerCapability",
    now: deschedulerSchema === undefined ? undefined : describeCapability(deschedulerSchema),
    describe: (was, now) => `KubeDescheduler capability changed (${was} -> ${now})`,
  };
}

function describeCapability(schema: Parameters<typeof capabilityOf>[0]): string {
  const { selected, limits, customizations } = capabilityOf(schema);
  const hasNode = limits.has("node") ? ["node"] : [];
  const hasTainter = customizations.has(softTainter) ? ["softTainter"] : [];
  return [selected ?? "none", ...hasNode, ...hasTainter].join("+");
}

function limitInput(limit: Limit, { hco }: LoadAwareFacts): Input {
  return {
    name: limit.source,
    now: String(derivedLimit(limit, hco.object)),
    describe: (was, now) => `HCO ${limit.source} changed (scaled ${was} -> ${now})`,
  };
}
