// What a person should do next, in the phases that wait for one.

import type { Phase, Spec, Status } from "@virt/api";

const again = "set spec.action to DryRun and back to Apply";

export function nextStep(phase: Phase, { review }: Status, { action, bypassOptimisticLock }: Spec): string | undefined {
  switch (phase) {
    case "ReviewRequired":
      if (action !== "Apply") return undefined;
      return review?.reason === "ApprovalRequired"
        ? `review status.items and set spec.approvedPlan to '${review.planHash}'.`
        : `review status.items, then ${again}.`;
    case "PrerequisiteFailed":
      return "provide what is missing; the plan is drafted as soon as it is there.";
    case "Failed":
      return `mend the cause, then ${again}.`;
    case "CompletedWithErrors":
      return `mend what the failed items in status.items name, then ${again}.`;
    case "Drifted":
      if (action === "Apply" && bypassOptimisticLock) return undefined;
      return `undo the change, or ${again} to apply the plan again.`;
    case "CompletedWithUpgrade":
    case "Pending":
    case "Drafting":
    case "InProgress":
    case "Completed":
    case "Ignored":
      return undefined;
  }
}
