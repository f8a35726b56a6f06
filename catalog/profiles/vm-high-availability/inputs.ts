// The values on which the plan depends: the namespace of the template, and the number of nodes.

import type { PlanInput } from "@virt/advisor";
import { selfNodeTemplate } from "../../node-health-check.ts";
import { type AvailabilityFacts, availabilitySettings, countSelected, healthyCount, templateHome } from "./facts.ts";
import type { Options } from "./options.ts";

export function inputsOf(given: Options | undefined, facts: AvailabilityFacts): readonly PlanInput[] {
  const settings = availabilitySettings(given);
  if (!settings.enabled) return [];
  return [
    ...(settings.remediation === "FenceAgents" ? [] : [templateInput(facts)]),
    ...(healthyCount(settings) === undefined ? [] : [nodesInput(countSelected(settings, facts))]),
  ];
}

function templateInput(facts: AvailabilityFacts): PlanInput {
  const changed = `namespace of ${selfNodeTemplate.kind} changed`;
  return {
    name: "templateNamespace",
    now: templateHome(facts),
    describe: (was, now) => `${changed} (${was} -> ${now})`,
    summarize: (was, now) => `${changed} ${was} → ${now}`,
  };
}

function nodesInput(nodes: number): PlanInput {
  return {
    name: "selectedNodes",
    now: String(nodes),
    describe: (was, now) => `number of selected nodes changed (${was} -> ${now})`,
    summarize: (was, now) => `number of selected nodes changed ${was} → ${now}`,
  };
}
