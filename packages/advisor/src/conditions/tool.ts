// Ready, Reconciling, Stalled: the phase in the words of kstatus, for tools that know no phases.

import type { Phase } from "@virt/api";
import type { Saying } from "./phase.ts";

/** What the phase alone does not tell. */
export type Circumstances = {
  readonly phase: Phase;
  /** What the True phase condition says. */
  readonly message: string;
  /** Something that was asked for is withheld until a person acts. */
  readonly isWithheld: boolean;
  /** What a person should do, if one should. */
  readonly next?: string;
  /** A pool that is not done although nothing of ours is being applied. */
  readonly notConverged?: string;
  /** What the first unfinished item says. */
  readonly progress?: string;
  readonly correction?: "will-act" | { readonly gaveUp: string };
  /** A retryable error that lasts. */
  readonly retrying?: string;
};

export function toolSayings(at: Circumstances): readonly Saying[] {
  return [ready(at), reconciling(at), stalled(at)];
}

const readyReasons: Partial<Readonly<Record<Phase, string>>> = {
  Completed: "Completed",
  CompletedWithUpgrade: "UpgradeAvailable",
  Ignored: "Ignored",
};

const finished: readonly Phase[] = ["Completed", "CompletedWithErrors", "CompletedWithUpgrade"];

function ready({ phase, message, isWithheld, next, notConverged }: Circumstances): Saying {
  const said = next === undefined ? message : `${message} Next: ${next}`;
  if (notConverged !== undefined && finished.includes(phase))
    return { type: "Ready", status: "False", reason: "NotConverged", message: notConverged };
  const isPlanReady = phase === "ReviewRequired" && !isWithheld;
  const reason = isPlanReady ? "PlanReady" : readyReasons[phase];
  if (reason !== undefined) return { type: "Ready", status: "True", reason, message: said };
  return { type: "Ready", status: "False", reason: phase === "Pending" ? "Drafting" : phase, message: said };
}

function reconciling({ phase, message, progress, correction, retrying }: Circumstances): Saying {
  const type = "Reconciling";
  if (retrying !== undefined) return { type, status: "True", reason: "Retrying", message: retrying };
  if (phase === "Pending" || phase === "Drafting") return { type, status: "True", reason: "Drafting", message };
  if (phase === "InProgress") return { type, status: "True", reason: "InProgress", message: progress ?? message };
  if (phase === "Drifted" && correction === "will-act") return { type, status: "True", reason: "Correcting", message };
  return { type, status: "False", reason: phase, message: "" };
}

const stuck: readonly Phase[] = ["PrerequisiteFailed", "CompletedWithErrors", "Failed"];

function stalled({ phase, message, correction }: Circumstances): Saying {
  const type = "Stalled";
  if (phase === "Drifted" && typeof correction === "object")
    return { type, status: "True", reason: "DriftFight", message: correction.gaveUp };
  if (stuck.includes(phase)) return { type, status: "True", reason: phase, message };
  return { type, status: "False", reason: phase, message: "" };
}
