// Decides whether the reboot gate lets a write that drains or reboots nodes proceed.

import type { Impact, PoolDisruption } from "@virt/api";
import { type Assessment, findRolloutObstacles } from "@virt/impact";
import type { HeldDecision, ObjectDecision } from "../baseline/decision.ts";
import { annotationOf, annotationPrefix, rebootGateKey, refuseRebootGate } from "../hco-annotations.ts";

/** `unreadable`: the annotation is set, but its value is invalid. */
export type RebootGate =
  | { readonly kind: "off" }
  | { readonly kind: "on" }
  | { readonly kind: "unreadable"; readonly reason: string };

/**
 * Reads the gate. Without the annotation, it is off. An invalid value blocks writes that reboot nodes until the user
 * corrects it.
 */
export function readRebootGate(annotations: Readonly<Record<string, string>>): RebootGate {
  const value = annotationOf(annotations, rebootGateKey);
  if (value === undefined) return { kind: "off" };
  const reason = refuseRebootGate(value);
  return reason === undefined ? { kind: "on" } : { kind: "unreadable", reason };
}

/** The rollout that all pending writes would cause together. */
export type GatedRollout = {
  readonly disruption: readonly PoolDisruption[];
  readonly impact: Impact;
};

/** A write at the reboot gate, and the rollout of all pending writes together. */
export type GatedWrite = {
  readonly gate: RebootGate;
  /** The disruption by this write alone. Not assessed if the pools cannot be listed. */
  readonly disruption: Assessment<readonly PoolDisruption[]>;
  readonly rollout: GatedRollout;
};

/** Blocks an apply that drains or reboots nodes while the gate is closed. Returns all other decisions unchanged. */
export function holdAtGate(decision: ObjectDecision, write: GatedWrite | undefined): ObjectDecision {
  if (decision.kind !== "apply" || write === undefined) return decision;
  const { changes, opponents } = decision.apply;
  const held = holdWrite(write, "applied");
  return held === undefined ? decision : { ...held, changes, opponents };
}

/** Returns a hold if the gate blocks the deletion, or undefined if the deletion may proceed. */
export function holdRemovalAtGate(write: GatedWrite): HeldDecision | undefined {
  return holdWrite(write, "deleted");
}

function holdWrite(write: GatedWrite, done: "applied" | "deleted"): HeldDecision | undefined {
  const { gate, disruption, rollout } = write;
  const isHarmless = disruption.isAssessed && disruption.value.every((each) => !isDraining(each));
  if (gate.kind === "off" || isHarmless) return undefined;
  const causes = disruption.isAssessed
    ? closedBecause(gate, rollout)
    : [`pools are not assessed (${disruption.reason})`];
  if (causes.length === 0) return undefined;
  return { kind: "held", reason: rebootGateReason, message: messageOf(write, causes, done) };
}

export const rebootGateReason = "RebootGate";

function isDraining({ class: disruption }: Pick<PoolDisruption, "class">): boolean {
  return disruption === "Reboot" || disruption === "Drain";
}

function messageOf({ gate, rollout }: GatedWrite, causes: readonly string[], done: string): string {
  const key = `${annotationPrefix}${rebootGateKey}`;
  const why = causes.join(", ");
  if (gate.kind === "unreadable") return `annotation ${key} on the HyperConverged ${why}`;
  return `annotation ${key} blocks this write: ${why}. The object is ${done} automatically after the cause is resolved. Impact: ${rollout.impact.summary}`;
}

/** Returns why the gate is closed, or an empty list if it is open. */
export function closedBecause(gate: RebootGate, { impact }: GatedRollout): readonly string[] {
  if (gate.kind !== "on") return gate.kind === "off" ? [] : [gate.reason];
  const { vms, pods, notAssessed } = impact;
  const gaps = notAssessed.filter(({ what }) => !harmlessGaps.has(what));
  return [
    ...counted(vms?.block ?? 0, "VM", "blocks the drain", "block the drain"),
    ...counted(pods?.block ?? 0, "pod", "blocks the drain", "block the drain"),
    ...counted(vms?.unknown ?? 0, "VM", "is in an unknown state", "are in an unknown state"),
    ...gaps.map(
      ({ what, reason, message }) => `${what} not assessed (${reason})${message === "" ? "" : `: ${message}`}`,
    ),
    ...(vms === undefined && gaps.length === 0 ? ["VMs not assessed"] : []),
    ...(pods === undefined && gaps.length === 0 ? ["pods not assessed"] : []),
    ...findRolloutObstacles(impact, isDraining).map(({ text, next }) => `${text} (${next})`),
  ];
}

/** Gaps that do not close the gate: the assessment assumes the worst case for them, or they do not affect blockers. */
const harmlessGaps: ReadonlySet<string> = new Set(["disruption policies", "infrastructure", "VM owners"]);

function counted(number: number, noun: string, one: string, several: string): readonly string[] {
  if (number === 0) return [];
  return [number === 1 ? `1 ${noun} ${one}` : `${number} ${noun}s ${several}`];
}

/** Reports whether the reboot gate holds the object. */
export function isHeldAtGate(decision: ObjectDecision): decision is HeldDecision {
  return decision.kind === "held" && decision.reason === rebootGateReason;
}

/** Returns the note of the event at the start of a hold. */
export function rebootHeldNote(
  objects: readonly string[],
  causes: readonly string[],
  { summary }: Pick<Impact, "summary">,
): string {
  const held = `${objects.join(", ")}: on hold because of annotation ${annotationPrefix}${rebootGateKey} on the HyperConverged`;
  return `${held}: ${causes.join(", ")}. Applied changes are not reverted. The writes continue automatically after the cause is resolved. Impact: ${summary}`;
}
