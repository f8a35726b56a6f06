// What comes before any phase: Ignore, an edited spec, something that vanished.

import { type Phase, phases } from "@virt/api";
import { equalJson } from "@virt/engine";
import { specHash } from "./hashes.ts";
import { land } from "./land.ts";
import type { Decision, Observed } from "./observed.ts";
import { worstOf } from "./severity.ts";
import { blockedLanding } from "./stages/await-prerequisites.ts";
import { enterDrafting } from "./stages/enter-drafting.ts";
import { texts } from "./texts.ts";

export type Before =
  | { readonly kind: "decided"; readonly decision: Decision }
  | { readonly kind: "stage"; readonly phase: Phase };

export function prelude(seen: Observed): Before {
  const { was, spec, generation } = seen;
  if (spec.action === "Ignore") return decided(ignore(seen));
  const phase = phases.find((known) => known === was.phase);
  if (phase === "Ignored") return decided(enterDrafting(seen, { message: texts.resumed }));
  if (phase === undefined)
    return decided(enterDrafting(seen, { message: was.phase === undefined ? texts.started : texts.unknownPhase }));
  const isEdited = was.observedGeneration !== generation;
  if (isEdited && !isMereApproval(seen, phase) && phase !== "Drafting")
    return decided(enterDrafting(seen, { message: editMessage(seen, phase) }));
  if (needsCrds.includes(phase) && seen.blocked?.kind === "missing")
    return decided(blockedLanding(seen, seen.blocked.message));
  return { kind: "stage", phase };
}

const decided = (decision: Decision): Before => ({ kind: "decided", decision });

const needsCrds: readonly Phase[] = [
  "ReviewRequired",
  "InProgress",
  "Completed",
  "CompletedWithErrors",
  "CompletedWithUpgrade",
  "Drifted",
];

function ignore(seen: Observed): Decision {
  const { was, impact } = seen;
  const set = { impactSeverity: worstOf(was.items ?? [], impact), executedGeneration: undefined };
  return land(seen, "Ignored", { set, again: { when: "on-change" } });
}

/** An edit that asks to run the plan as it is: it does not draft anew. */
function isMereApproval({ spec, was }: Observed, phase: Phase): boolean {
  if (spec.action !== "Apply" || specHash(spec) !== was.specHash) return false;
  if (phase === "ReviewRequired") return true;
  return phase === "InProgress" && (spec.approvedPlan === undefined || spec.approvedPlan === was.planHash);
}

function editMessage({ spec, was }: Observed, phase: Phase): string {
  if (phase === "Failed" || phase === "PrerequisiteFailed") return "Retrying after spec change";
  if (phase === "Drifted") return "Regenerating after spec change";
  if (phase === "CompletedWithUpgrade") return "User regenerating plan to adopt operator upgrade";
  const isFinished = phase === "Completed" || phase === "CompletedWithErrors";
  const hasOptions = equalJson(spec.options ?? {}, was.appliedOptions ?? {});
  return isFinished && !hasOptions ? "Options changed - regenerating plan" : "Spec changed - regenerating plan";
}
