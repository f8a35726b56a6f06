// Finds what keeps an approved plan from starting: virt-platform-autopilot, or a guard. The approval stays valid.

import type { Impact, Item, Ref } from "@virt/api";
import { revertedText, unmanageCommands } from "./autopilot-targets.ts";
import { findGuardObstacle, type GuardObstacle } from "./impact/guards.ts";
import type { Observed } from "./observed.ts";

export type ExecutionObstacle = GuardObstacle & { readonly reason: "Guarded" | "ManagedByAutopilot" };

type ApprovedPlan = {
  readonly items: readonly Item[];
  /** The targets that the autopilot would revert. */
  readonly reverted: readonly Ref[];
  /** Must be newer than the approval. Undefined if the plan was not assessed. */
  readonly impact: Impact | undefined;
};

/** Returns the first obstacle, or undefined if the plan may start. */
export function findExecutionObstacle(
  observed: Pick<Observed, "spec">,
  { items, reverted, impact }: ApprovedPlan,
): ExecutionObstacle | undefined {
  if (reverted.length > 0)
    return { reason: "ManagedByAutopilot", text: revertedText(reverted), next: unmanageCommands(reverted) };
  const guard = findGuardObstacle(observed, impact, items);
  return guard && { ...guard, reason: "Guarded" };
}
