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
/** The phase of a node in a rollout. A node that still has an earlier target config is `Waiting`. */
export type NodeRolloutPhase = (typeof nodeRolloutPhases)[number];

/**
 * Severities, from worst to mildest. `blocking`: the user must act. `warning`: the user should check. `info`: no action
 * is needed.
 */
export const findingSeverities = ["blocking", "warning", "info"] as const;
/** The severity of a finding. A `blocking` finding stops the rollout until the user acts. */
export type FindingSeverity = (typeof findingSeverities)[number];

/** Node counts for a pool. `done`, `inHand`, `waiting` and `degraded` add up to `total`. */
export type PoolRollout = {
  readonly name: string;
  readonly total: number;
  readonly done: number;
  readonly inHand: number;
  readonly waiting: number;
  readonly degraded: number;
  /** False while the pool's target config does not contain the change. `done` is then 0. */
  readonly rendered?: boolean;
  readonly observed?: ObservedSeconds;
};

/** Measured durations for the nodes in a pool, most recent last. */
export type ObservedSeconds = {
  readonly drainSeconds: readonly number[];
  readonly restartSeconds: readonly number[];
};

/** The phase of a node. `step` is the update step that the node reports, if any. */
export type NodeRollout = {
  readonly name: string;
  readonly pool: string;
  readonly phase: NodeRolloutPhase;
  /** When the node was first seen in this phase for this target config, in RFC 3339 format. */
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
  /** The command to run. If there are several options, it only reads, so that scripts cannot run a harmful option. */
  readonly command?: string;
  readonly since: string;
};

/** VMs that ran on the nodes and are not running now. `listed` may be truncated. It is empty if VM names are hidden. */
export type StoppedVms = {
  readonly total: number;
  readonly listed: readonly { readonly namespace: string; readonly name: string }[];
};

/** `status.rollout`: the pools that are rolling out changes of this config. */
export type RolloutStatus = {
  readonly summary: string;
  readonly remaining?: { readonly lowSeconds: number; readonly highSeconds: number };
  readonly pools: readonly PoolRollout[];
  readonly nodes: readonly NodeRollout[];
  readonly findings: readonly RolloutFinding[];
  readonly stoppedVms?: StoppedVms;
  /** The inputs that the diagnosis could not read, so findings may be missing. Absent if it read all inputs. */
  readonly notAssessed?: readonly ImpactGap[];
  readonly more: { readonly pools: number; readonly nodes: number; readonly findings: number };
};
