// Sentences that users, tests and scripts rely on.

export const texts = {
  started: "Starting plan generation",
  unknownPhase: "Resetting unknown phase",
  resumed: "Action changed from Ignore, regenerating plan",
  generating: "Generating plan from profile",
  alreadyThere: "Configuration already in desired state - no changes needed",
  managed: "Configuration is being managed",
  ignored:
    "Configuration is ignored - no management actions will be performed. Resources remain in their current state and are now under manual control. Change action to 'DryRun' or 'Apply' to resume operator management.",
  notApplicable: "Not applicable - configuration is ignored",
  review: "Plan ready for review. Change action to 'Apply' to execute.",
  applying: "Applying plan configuration",
  inSync: "Configuration successfully applied and in sync",
  stale:
    "Plan is stale: target resources have been modified since plan generation. Please regenerate the plan by changing action to DryRun, then review and re-approve.",
  applyingItem: "Applying configuration...",
  deletingItem: "Deleting resource...",
  appliedItem: "Applied successfully",
  deletedItem: "Deleted successfully",
  unchangedItem: "Already in desired state",
  correctingItem: "Re-applying to fix drift (bypassOptimisticLock)",
} as const;

export function reviewText(planHash: string, mustBePinned: boolean): string {
  if (!mustBePinned) return texts.review;
  return `Plan ready for review. Set spec.approvedPlan to '${planHash}' and action to 'Apply' to execute.`;
}
