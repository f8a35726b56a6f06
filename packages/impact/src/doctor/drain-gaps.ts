import type { ImpactGap } from "@virt/api";
import { assessedOr } from "../assessed.ts";
import { assessBudgets } from "../bound-budgets.ts";
import { largePodGaps } from "../impact-gaps.ts";
import type { DoctorFacts } from "./rollout-view.ts";

/** Returns the gaps: at most one for pods and one for budgets. Their names differ from those for kinds that could not be read. */
export function drainGaps({
  drainedPods,
  budgets,
}: Pick<DoctorFacts, "drainedPods" | "budgets">): readonly ImpactGap[] {
  const names = { pods: "Pod labels", budgets: "PodDisruptionBudget selectors" };
  return largePodGaps([...drainedPods.values()].flat(), assessedOr(assessBudgets(budgets, drainedPods), []), names);
}
