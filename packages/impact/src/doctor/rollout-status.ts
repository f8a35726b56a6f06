// Summarizes a rollout, counts its nodes, and limits the size of its status in large clusters. All node counts are made
// here.

import {
  type FindingSeverity,
  findingSeverities,
  type ImpactGap,
  type KubeObject,
  type NodeRolloutPhase,
  type PoolRollout,
  type RolloutFinding,
  type RolloutStatus,
} from "@virt/api";
import { machineConfigPoolHealth, type PoolProgress, poolProgress } from "@virt/cluster";
import { utf8Length } from "@virt/objects";
import { foreignText } from "../assessed.ts";
import { durationText } from "../duration.ts";
import { nameNodes } from "../impact-status.ts";
import { isInHand, isTakenUp, type PoolFacts, type PoolView, viewPools } from "./rollout-view.ts";
import { Sightings } from "./sightings.ts";
import { stoppedText } from "./stopped-vms.ts";

function headlineOf({ findings }: Pick<RolloutStatus, "findings">): RolloutFinding | undefined {
  return findings.find(({ severity }) => severity === "blocking");
}

/** Sorts by severity, worst first. The sort is stable. */
export function worstFirst<T extends { readonly severity: FindingSeverity }>(findings: readonly T[]): readonly T[] {
  const rank = ({ severity }: T) => findingSeverities.indexOf(severity);
  return findings.toSorted((left, right) => rank(left) - rank(right));
}

/** Returns a summary such as `worker pool: 3 of 12 nodes updated, w-03 is draining, about 1–2 hours left`. */
export function summarizeRollout({
  pools,
  nodes,
  findings,
  remaining,
}: Omit<RolloutStatus, "summary" | "more">): string {
  const counts = pools.map(({ name, total, done }) => `${name} pool: ${done} of ${total} nodes updated`);
  const inHand = nodes.filter(({ phase }) => isInHand(phase));
  const work = phaseWords.flatMap(([phase, one, several]) => {
    const names = inHand.filter((node) => node.phase === phase).map(({ name }) => name);
    return names.length === 0 ? [] : [`${nameNodes(names)} ${names.length === 1 ? one : several}`];
  });
  const degraded = nodes.filter(({ phase }) => phase === "Degraded").map(({ name }) => name);
  const failed =
    degraded.length === 0 ? [] : [`${nameNodes(degraded)} ${degraded.length === 1 ? "is" : "are"} degraded`];
  const headline = headlineOf({ findings });
  const rest = headline === undefined && remaining !== undefined && remaining.highSeconds > 0;
  const left = rest ? [leftText(durationText({ low: remaining.lowSeconds, high: remaining.highSeconds }))] : [];
  // Does not name the VM, which only the finding does.
  const where = headline?.node === undefined ? "" : ` on ${headline.node}`;
  const stuck = headline === undefined ? [] : [`stuck: ${headline.id}${where}`];
  return [...counts, ...work, ...failed, ...left, ...stuck].join(", ");
}

function leftText(duration: string): string {
  return `${duration.startsWith("up to ") ? "" : "about "}${duration} left`;
}

/**
 * Marks all nodes as done and removes all findings, for a rollout that has ended. The watch of the nodes may lag behind
 * that of the pools.
 */
export function concludeRollout({ remaining: _none, notAssessed: _gaps, ...last }: RolloutStatus): RolloutStatus {
  const ended = {
    ...last,
    pools: last.pools.map(({ rendered: _rendered, ...pool }) => ({
      ...pool,
      done: pool.total,
      inHand: 0,
      waiting: 0,
      degraded: 0,
    })),
    nodes: last.nodes.map(({ step: _step, ...node }) => ({ ...node, phase: "Done" as const })),
    findings: [],
    more: { ...last.more, findings: 0 },
  };
  const stopped = last.stoppedVms === undefined ? [] : [stoppedText(last.stoppedVms)];
  return { ...ended, summary: foreignText([summarizeRollout(ended), ...stopped].join(", "), mostSummary) };
}

/** Resets the counts after another client deleted the target, so that none of the nodes in these pools counts as updated. */
export function revokeUpdates(rollout: RolloutStatus, pools: ReadonlySet<string>): RolloutStatus {
  if (pools.size === 0) return rollout;
  const revoked = {
    ...rollout,
    pools: rollout.pools.map((pool) =>
      pools.has(pool.name) ? { ...pool, done: 0, waiting: pool.waiting + pool.done, rendered: false } : pool,
    ),
    nodes: rollout.nodes.map((node) =>
      pools.has(node.pool) && node.phase === "Done" ? { ...node, phase: "Waiting" as const } : node,
    ),
  };
  return { ...revoked, summary: foreignText(summarizeRollout(revoked), mostSummary) };
}

const phaseWords = [
  ["Draining", "is draining", "are draining"],
  ["Applying", "is applying the change", "are applying the change"],
  ["Rebooting", "is rebooting", "are rebooting"],
  ["Uncordoning", "is waiting to be uncordoned", "are waiting to be uncordoned"],
] as const;

const most = { pools: 8, nodes: 20, findings: 20, notAssessed: 16 };
const mostGap = 63;
const mostSummary = 512;
const mostName = 253;
const mostMessage = 1024;
const mostCommand = 1024;
const mostBytes = 16_000;

/** Truncates strings and lists. `more` is the number of omitted entries. */
export function boundRollout(whole: RolloutStatus): RolloutStatus {
  const name = (text: string) => foreignText(text, mostName);
  const short: RolloutStatus = {
    ...whole,
    summary: foreignText(whole.summary, mostSummary),
    pools: whole.pools.slice(0, most.pools).map((pool) => ({ ...pool, name: name(pool.name) })),
    nodes: whole.nodes.slice(0, most.nodes).map((node) => ({ ...node, name: name(node.name), pool: name(node.pool) })),
    findings: whole.findings.slice(0, most.findings).map(boundFinding),
    ...(whole.notAssessed && { notAssessed: whole.notAssessed.slice(0, most.notAssessed).map(boundGap) }),
  };
  return cutLists(short, whole);
}

function boundGap({ what, reason, message }: ImpactGap): ImpactGap {
  return { what: foreignText(what, mostGap), reason, message: foreignText(message) };
}

// Omits a command that is too long, because a truncated command would be a different command.
function boundFinding({ command, object, ...finding }: RolloutFinding): RolloutFinding {
  const name = (text: string) => foreignText(text, mostName);
  return {
    ...finding,
    ...(finding.node !== undefined && { node: name(finding.node) }),
    ...(object && {
      object: {
        kind: object.kind,
        ...(object.namespace !== undefined && { namespace: name(object.namespace) }),
        name: name(object.name),
      },
    }),
    message: foreignText(finding.message, mostMessage),
    ...(command !== undefined && command.length <= mostCommand && { command }),
  };
}

/** The order in which lists are truncated, least important first. */
const cutOrder = ["nodes", "findings", "pools"] as const;

function cutLists(short: RolloutStatus, whole: RolloutStatus): RolloutStatus {
  let status = withMore(short, whole);
  for (const list of cutOrder)
    while (utf8Length(JSON.stringify(status)) > mostBytes && status[list].length > 0)
      status = withMore({ ...status, [list]: status[list].slice(0, -1) }, whole);
  return status;
}

function withMore(status: RolloutStatus, whole: RolloutStatus): RolloutStatus {
  const left = (list: "pools" | "nodes" | "findings") => whole.more[list] + whole[list].length - status[list].length;
  return { ...status, more: { pools: left("pools"), nodes: left("nodes"), findings: left("findings") } };
}

/** Node counts. `done`, `inHand`, `waiting` and `degraded` add up to `total`. */
export type NodeCounts = Pick<PoolRollout, "total" | "done" | "inHand" | "waiting" | "degraded">;

/** A pool with its counts. `isRendered` is true if the pool's target config contains all changes. */
export type CountedPool = { readonly object: KubeObject | undefined; readonly isRendered: boolean };

/**
 * Counts the nodes by phase. If the pool reports completion, this takes precedence, because the watch of the nodes may
 * lag behind.
 */
export function countPhases(phases: readonly NodeRolloutPhase[], { object, isRendered }: CountedPool): NodeCounts {
  if (phases.length === 0) return countMachines(object && poolProgress(object, isRendered));
  const total = phases.length;
  if (object !== undefined && isRendered && machineConfigPoolHealth(object).state === "done")
    return { total, done: total, inHand: 0, waiting: 0, degraded: 0 };
  const count = (isCounted: (phase: NodeRolloutPhase) => boolean) => phases.filter(isCounted).length;
  return {
    total,
    done: count((phase) => phase === "Done"),
    inHand: count(isInHand),
    waiting: count((phase) => phase === "Waiting"),
    degraded: count((phase) => phase === "Degraded"),
  };
}

export function countPool(pool: PoolView): NodeCounts {
  return countPhases(
    pool.nodes.map(({ phase }) => phase),
    countedPool(pool),
  );
}

/** Returns the node counts for messages. `updated` is absent if only a pool status that is out of date is known. */
export function countNodes(facts: PoolFacts): ReadonlyMap<string, PoolProgress> {
  const views = viewPools(facts, new Sightings(new Map(), 0));
  return new Map(
    views.map((pool) => {
      const { total, done } = countPool(pool);
      const { object, isRendered } = countedPool(pool);
      const isKnown = pool.nodes.length > 0 || (object && poolProgress(object, isRendered).updated !== undefined);
      return [pool.name, { pool: pool.name, nodes: total, ...(isKnown && { updated: done }) }];
    }),
  );
}

export function isPoolRendered({ object, changes }: Pick<PoolView, "object" | "changes">): boolean {
  return changes.every((change) => isTakenUp(change, object));
}

function countedPool(pool: PoolView): CountedPool {
  return { object: pool.object, isRendered: isPoolRendered(pool) };
}

function countMachines(machines: ReturnType<typeof poolProgress> | undefined): NodeCounts {
  const {
    nodes: total,
    updated: done = 0,
    degraded,
    unavailable,
  } = machines ?? {
    nodes: 0,
    degraded: 0,
    unavailable: 0,
  };
  const rest = Math.max(0, total - done);
  const broken = Math.min(degraded, rest);
  const inHand = Math.min(Math.max(0, unavailable - broken), rest - broken);
  return { total, done, inHand, waiting: rest - broken - inHand, degraded: broken };
}
