// A rollout prepared for display: pool progress, nodes, findings and the remaining time.

import { hasPlanBegun, isApplied, isMachineConfig, isRolloutOpen, isSkipped } from "@virt/advisor";
import type {
  FindingSeverity,
  ImpactGap,
  ImpactPool,
  Item,
  KubeObject,
  NodeRollout,
  NodeRolloutPhase,
  RolloutFinding,
  StoppedVms,
  VirtPlatformConfig,
} from "@virt/api";
import { affectedPools } from "@virt/cluster";
import { type BlockerRemedy, durationText, findingRemedies, foreignText, isTakenUp, startCommand } from "@virt/impact";
import { readTime } from "@virt/objects";

/** Node counts. The last four add up to the total. */
export type PoolProgressView = {
  readonly name: string;
  readonly total: number;
  readonly updated: number;
  readonly updating: number;
  readonly waiting: number;
  readonly degraded: number;
};

/** `vms` is absent if the VMs were not counted. */
export type NodeProgressView = {
  readonly name: string;
  readonly pool: string;
  readonly phase: NodeRolloutPhase;
  /** Seconds in the current phase. Absent if the status does not record it. */
  readonly seconds?: number;
  /** RFC 3339: when the phase began. */
  readonly since?: string;
  readonly step?: string;
  readonly vms?: number;
  /** True while the Machine Config Operator works on the node. */
  readonly isInHand: boolean;
};

/** A cause that may block the rollout. `command` is absent if there are `options`, the least disruptive first. */
export type FindingView = {
  readonly id: string;
  readonly severity: FindingSeverity;
  readonly node?: string;
  readonly message: string;
  readonly command?: string;
  readonly options?: readonly BlockerRemedy[];
  readonly seconds?: number;
  readonly since?: string;
};

/** A VM that the drain stopped. `command` starts it again. */
export type StoppedVmView = { readonly name: string; readonly command?: string };

/** A rollout prepared for display. `more` counts the entries that the status does not list. */
export type RolloutProgressView = {
  readonly summary: string;
  readonly pools: readonly PoolProgressView[];
  readonly nodes: readonly NodeProgressView[];
  readonly findings: readonly FindingView[];
  /** VMs that stopped during the rollout and did not run at its end. Absent: none, or the rollout is open. */
  readonly stopped?: { readonly vms: readonly StoppedVmView[]; readonly more: number };
  /** The time until the end if nothing blocks the rollout. Absent if unknown or if nothing is left. */
  readonly remaining?: { readonly lowSeconds: number; readonly highSeconds: number; readonly text: string };
  /** Inputs that the diagnosis could not read. They may hide findings. */
  readonly notAssessed: readonly ImpactGap[];
  readonly more: { readonly pools: number; readonly nodes: number; readonly findings: number };
  readonly isOpen: boolean;
};

/** Counts the VMs on a node. Undefined if they were not counted. */
export type CountVms = (node: string) => number | undefined;

/** Returns the rollout of a config, or undefined if it has none. `now` is in milliseconds. */
export function viewRollout(
  { status }: Pick<VirtPlatformConfig, "status">,
  now: number,
  countVms: CountVms = () => undefined,
): RolloutProgressView | undefined {
  const rollout = status?.rollout;
  if (rollout === undefined || (rollout.pools.length === 0 && rollout.findings.length === 0)) return undefined;
  const pools = rollout.pools.map(({ name, total, done, inHand, waiting, degraded }) => ({
    name,
    total,
    updated: done,
    updating: inHand,
    waiting,
    degraded,
  }));
  const isOpen = pools.some(({ updated, total }) => updated < total);
  const { remaining } = rollout;
  const bounds = remaining && { low: remaining.lowSeconds, high: remaining.highSeconds };
  return {
    summary: foreignText(rollout.summary),
    pools,
    nodes: rollout.nodes.map((node) => viewNode(node, now, countVms)),
    findings: rollout.findings.map((finding) => ({ ...viewFinding(finding), ...agedFrom(finding.since, now) })),
    ...(!isOpen && rollout.stoppedVms && { stopped: viewStopped(rollout.stoppedVms) }),
    ...(bounds && isOpen && { remaining: { ...remaining, text: durationText(bounds) } }),
    notAssessed: (rollout.notAssessed ?? []).map(viewGap),
    more: rollout.more,
    isOpen,
  };
}

function viewGap({ what, reason, message }: ImpactGap): ImpactGap {
  return { what: foreignText(what), reason, message: foreignText(message) };
}

function viewStopped({ total, listed }: StoppedVms): NonNullable<RolloutProgressView["stopped"]> {
  const vms = listed.map((vm) => {
    const command = startCommand(vm);
    return { name: foreignText(`${vm.namespace}/${vm.name}`), ...(command !== undefined && { command }) };
  });
  return { vms, more: total - vms.length };
}

/** The limit in the CRD. A lower one could cut off the command at the end of a message. */
const longestFinding = 1024;

/** Omits the age, which depends on the current time. */
export function viewFinding(finding: RolloutFinding): FindingView {
  const { id, severity, node, message, command } = finding;
  const options = findingRemedies(finding);
  return {
    id,
    severity,
    ...(node !== undefined && { node }),
    message: foreignText(message, longestFinding),
    ...(options.length > 0 ? { options } : command !== undefined && { command }),
  };
}

/** The order in which a plan would update the nodes in a pool. `more` counts the nodes that are not listed. */
export type ExpectedPool = Pick<ImpactPool, "name" | "nodes" | "held" | "atOnce" | "order"> & { readonly more: number };

/**
 * Returns the expected order of a plan that has not written anything yet. Empty if the plan was not assessed. Undefined
 * once a plan has begun, or while a rollout is open.
 */
export function expectedRollout({
  status = {},
}: Pick<VirtPlatformConfig, "status">): readonly ExpectedPool[] | undefined {
  const { phase, items = [], impact } = status;
  const isWritten = items.some(({ state, appliedTime }) => state !== "Pending" || appliedTime !== undefined);
  if (isRolloutOpen(status) || (isWritten && hasPlanBegun(phase))) return undefined;
  return (impact?.pools ?? []).map(({ name, nodes, held, atOnce, order }) => {
    return { name, nodes, held, atOnce, order, more: Math.max(0, nodes + held - order.length) };
  });
}

/**
 * Returns the pools whose nodes do not count as updated, regardless of the configuration that they run. They have not
 * rendered the changes, are not counted in the status yet, or lack a MachineConfig that the plan applied.
 */
export function unrenderedPools(
  { status = {} }: Pick<VirtPlatformConfig, "status">,
  pools: readonly KubeObject[],
): ReadonlySet<string> {
  const counted = status.rollout?.pools ?? [];
  const unrendered = counted.filter(({ rendered }) => rendered === false).map(({ name }) => name);
  const pending = (status.rollouts ?? []).flatMap(({ before }) => before.map(({ pool }) => pool));
  const uncounted = pending.filter((pool) => counted.every(({ name }) => name !== pool));
  const items = hasPlanBegun(status.phase) ? (status.items ?? []) : [];
  const lacking = items.flatMap((item) => poolsWithout(item, pools));
  return new Set([...unrendered, ...uncounted, ...lacking]);
}

function poolsWithout(item: Item, pools: readonly KubeObject[]): readonly string[] {
  const { desiredState, operation, targetRef } = item;
  const isLasting = isMachineConfig(item) && isApplied(item) && !isSkipped(item) && operation === "Apply";
  if (!isLasting || desiredState === undefined) return [];
  const change = { machineConfig: targetRef.name, operation, pools: [], hasKubeletDropIn: false };
  return affectedPools(pools, desiredState).filter((name) => {
    const pool = pools.find(({ metadata }) => metadata.name === name);
    return pool !== undefined && !isTakenUp(change, pool);
  });
}

const inHand: readonly NodeRolloutPhase[] = ["Applying", "Draining", "Rebooting", "Uncordoning"];

function viewNode(node: NodeRollout, now: number, countVms: CountVms): NodeProgressView {
  const { name, pool, phase, since, step } = node;
  const vms = countVms(name);
  return {
    name,
    pool,
    phase,
    ...agedFrom(since, now),
    ...(step !== undefined && { step: foreignText(step) }),
    ...(vms !== undefined && { vms }),
    isInHand: inHand.includes(phase),
  };
}

function agedFrom(since: string, now: number): { readonly seconds?: number; readonly since?: string } {
  const seconds = secondsSince(since, now);
  return seconds === undefined ? {} : { seconds, since: foreignText(since) };
}

/** Returns whole seconds from an RFC 3339 time to `now` (milliseconds), at least 0. Undefined without a valid time. */
export function secondsSince(time: string | undefined, now: number): number | undefined {
  const at = readTime(time ?? "");
  return at === undefined ? undefined : Math.max(0, Math.floor((now - at) / 1000));
}

const units = [
  { sign: "d", seconds: 86_400 },
  { sign: "h", seconds: 3600 },
  { sign: "m", seconds: 60 },
  { sign: "s", seconds: 1 },
] as const;

/** Formats an age as kubectl does: `48s`, `7m30s`, `3h20m`, `5d`. Omits the second unit from 10 of the first. */
export function ageText(seconds: number): string {
  const at = units.findIndex((unit) => seconds >= unit.seconds * (unit.sign === "m" ? 2 : 1));
  const unit = units[at] ?? units[3];
  const count = Math.floor(seconds / unit.seconds);
  const next = units[at + 1];
  if (at < 0 || next === undefined || count >= 10) return `${count}${unit.sign}`;
  const rest = Math.floor((seconds - count * unit.seconds) / next.seconds);
  return rest === 0 ? `${count}${unit.sign}` : `${count}${unit.sign}${rest}${next.sign}`;
}
