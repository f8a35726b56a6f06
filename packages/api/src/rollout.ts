// How far a rollout over the nodes is and what holds it, as a status shows it.

import type { ImpactGap } from "./impact.ts";

/** What a node does, as its annotations and its MachineConfigNode tell. */
export const nodeRolloutPhases = [
  "Degraded",
  "Waiting",
  "Uncordoning",
  "Done",
  "Rebooting",
  "Draining",
  "Applying",
] as const;
/** One of them. */
export type NodeRolloutPhase = (typeof nodeRolloutPhases)[number];

/** The worst first: a person must act, should look, or may like to know. */
export const findingSeverities = ["blocking", "warning", "info"] as const;
/** One of them. */
export type FindingSeverity = (typeof findingSeverities)[number];

/** One pool of a rollout, in nodes. */
export type PoolRollout = {
  readonly name: string;
  readonly total: number;
  readonly done: number;
  readonly inHand: number;
  readonly waiting: number;
  readonly degraded: number;
  /** False while the configuration that the pool aims at does not contain the change: then no node has it. */
  readonly rendered?: boolean;
  readonly observed?: ObservedSeconds;
};

/** What nodes of a pool took, the latest last. */
export type ObservedSeconds = {
  readonly drainSeconds: readonly number[];
  readonly restartSeconds: readonly number[];
};

/** One node of a rollout. */
export type NodeRollout = {
  readonly name: string;
  readonly pool: string;
  readonly phase: NodeRolloutPhase;
  /** RFC 3339: the first sight of this phase on the way to this target. */
  readonly since: string;
  /** What the Machine Config Daemon says that it does. */
  readonly step?: string;
};

/** One thing that holds a rollout, or may. */
export type RolloutFinding = {
  readonly id: string;
  readonly severity: FindingSeverity;
  readonly node?: string;
  readonly object?: { readonly kind: string; readonly namespace?: string; readonly name: string };
  readonly message: string;
  /** Changes nothing if the finding has several options: scripts must not run the most harmful one. */
  readonly command?: string;
  /** RFC 3339 */
  readonly since: string;
};

/** VMs that ran on the nodes of a rollout and do not run now. `listed` has the first of them, or none where names are not shown. */
export type StoppedVms = {
  readonly total: number;
  readonly listed: readonly { readonly namespace: string; readonly name: string }[];
};

/** `status.rollout`: of the pools that roll out what this config wrote. */
export type RolloutStatus = {
  readonly summary: string;
  readonly remaining?: { readonly lowSeconds: number; readonly highSeconds: number };
  readonly pools: readonly PoolRollout[];
  readonly nodes: readonly NodeRollout[];
  readonly findings: readonly RolloutFinding[];
  readonly stoppedVms?: StoppedVms;
  /** The inputs that the diagnosis could not read, by kind: they may hide findings. Absent if it read everything. */
  readonly notAssessed?: readonly ImpactGap[];
  /** How many more there are than are listed. */
  readonly more: { readonly pools: number; readonly nodes: number; readonly findings: number };
};
