// `status.rollout`: the progress of a rollout over the nodes, and its findings.

import type { ImpactGap } from "./impact.ts";

/** Phases of a node in a rollout, in display order. */
export const nodeRolloutPhases = [
  "Degraded",
  "Waiting",
  "Uncordoning",
  "Done",
  "Rebooting",
  "Draining",
  "Applying",
] as const;
/** The phase of a node in a rollout. A node at an earlier target is `Waiting`. */
export type NodeRolloutPhase = (typeof nodeRolloutPhases)[number];

/** From the worst to the mildest. `blocking`: act. `warning`: check. `info`: no action is needed. */
export const findingSeverities = ["blocking", "warning", "info"] as const;
/** `blocking` findings stop the rollout until someone acts. */
export type FindingSeverity = (typeof findingSeverities)[number];

/** Counts of the nodes of a pool. `done`, `inHand`, `waiting` and `degraded` add up to `total`. */
export type PoolRollout = {
  readonly name: string;
  readonly total: number;
  readonly done: number;
  readonly inHand: number;
  readonly waiting: number;
  readonly degraded: number;
  /** False while the target configuration of the pool does not contain the change. In that case `done` is 0. */
  readonly rendered?: boolean;
  readonly observed?: ObservedSeconds;
};

/** Measured durations of the nodes of a pool, latest last. */
export type ObservedSeconds = {
  readonly drainSeconds: readonly number[];
  readonly restartSeconds: readonly number[];
};

/** The phase of a node. `step` is the step of the update that the node reports, if any. */
export type NodeRollout = {
  readonly name: string;
  readonly pool: string;
  readonly phase: NodeRolloutPhase;
  /** RFC 3339: when the node was first seen in this phase for this target configuration. */
  readonly since: string;
  readonly step?: string;
};

/** A diagnosed cause of a slow or blocked rollout. `id` and `since` (RFC 3339) stay the same while it lasts. */
export type RolloutFinding = {
  readonly id: string;
  readonly severity: FindingSeverity;
  readonly node?: string;
  readonly object?: { readonly kind: string; readonly namespace?: string; readonly name: string };
  readonly message: string;
  /** Read-only if the finding has several options: scripts must not run the most harmful one. */
  readonly command?: string;
  readonly since: string;
};

/** VMs that ran on the nodes and are not running now. `listed` is truncated, and empty if names are hidden. */
export type StoppedVms = {
  readonly total: number;
  readonly listed: readonly { readonly namespace: string; readonly name: string }[];
};

/** `status.rollout`: the pools that roll out the changes of this config. */
export type RolloutStatus = {
  readonly summary: string;
  readonly remaining?: { readonly lowSeconds: number; readonly highSeconds: number };
  readonly pools: readonly PoolRollout[];
  readonly nodes: readonly NodeRollout[];
  readonly findings: readonly RolloutFinding[];
  readonly stoppedVms?: StoppedVms;
  /** The inputs that the diagnosis could not read. They may hide findings. Absent if it read everything. */
  readonly notAssessed?: readonly ImpactGap[];
  readonly more: { readonly pools: number; readonly nodes: number; readonly findings: number };
};
