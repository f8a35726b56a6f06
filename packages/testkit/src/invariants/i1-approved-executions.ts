// I1, the decision: an execution begins only for a request that was not carried out before, and after a forced review only
// for the plan that was on display.

import type { ConfigVersion, History } from "./history.ts";
import { ownSteps, type Step } from "./steps.ts";
import type { StoredConfig } from "./stored-config.ts";
import { type Violation, violation } from "./violation.ts";

export function unapprovedExecutions(history: History): readonly Violation[] {
  return ownSteps(history)
    .filter(isBeginning)
    .flatMap(({ before, after, by }) => {
      const why = whyNot(before?.object, after);
      return why === undefined ? [] : [violation("I1", by, `${after.metadata.name} begins although ${why}`)];
    });
}

function isBeginning({ before, after }: Step): boolean {
  const isEntry = after.status?.phase === "InProgress" && before?.object?.status?.phase !== "InProgress";
  // Waiting for what is in place already writes nothing, so it needs nobody's approval.
  return isEntry && after.status?.items?.some(({ diff = "" }) => !diff.endsWith("(no changes)\n")) === true;
}

function whyNot(before: ConfigVersion["object"], after: StoredConfig): string | undefined {
  const { generation } = after.metadata;
  const { executedGeneration = 0, review, phase } = before?.status ?? {};
  const isCorrection = phase === "Drifted" && after.spec.bypassOptimisticLock === true;
  if (generation <= executedGeneration && !isCorrection) return `generation ${generation} was carried out before`;
  if (review?.forced !== true) return undefined;
  if (generation <= (review.generation ?? 0)) return "nobody has answered the review that was forced";
  return after.status?.planHash === review.planHash ? undefined : "the forced review showed another plan";
}
