// The pods and budgets of drains that are too large to be compared: they lead to no finding, so they are gaps.

import type { ImpactGap } from "@virt/api";
import { assessedOr } from "../assessed.ts";
import { assessBudgets } from "../bound-budgets.ts";
import { largePodGaps } from "../large-pod-gaps.ts";
import type { DoctorFacts } from "./rollout-view.ts";

/** Returns one gap for the pods and one for the budgets. Their names differ from those of kinds that could not be read. */
export function drainGaps({
  drainedPods,
  budgets,
}: Pick<DoctorFacts, "drainedPods" | "budgets">): readonly ImpactGap[] {
  const names = { pods: "Pod labels", budgets: "PodDisruptionBudget selectors" };
  return largePodGaps([...drainedPods.values()].flat(), assessedOr(assessBudgets(budgets, drainedPods), []), names);
}
