// Finds causes that block a whole pool: it is paused, not rendered, at its limit, or ignored by the operator. Also
// finds problems that the operators behind a rollout report.

import type { KubeObject } from "@virt/api";
import { conditionsOf, findTrue, readMachineConfigPool } from "@virt/cluster";
import { compareUtf8, readTime } from "@virt/objects";
import { nameNodes } from "../impact-status.ts";
import { refusedKubeletConfigs } from "../pool-rollouts.ts";
import { isUnavailable, rolloutNodeOf, rolloutOfPool, unavailableLimit } from "../rollout.ts";
import { restoreCommand } from "./remedies.ts";
import {
  type DoctorFacts,
  isInHand,
  isTakenUp,
  type NodeView,
  type PoolView,
  type RolloutCause,
} from "./rollout-view.ts";
import { aboutFinding, findingKey, type Sightings } from "./sightings.ts";

export function poolCauses(pool: PoolView, facts: DoctorFacts, sightings: Sightings): readonly RolloutCause[] {
  const { object } = pool;
  if (object === undefined) return [...deletedTargets(pool), ...unrendered(pool)];
  const failures = renderFailures(pool, object, facts);
  const idle = idleOperator(pool, object, sightings);
  const hidden = failures.length + idle.length > 0;
  const isRendered = pool.changes.every((change) => isTakenUp(change, object));
  return [
    ...deletedTargets(pool),
    ...failures,
    ...idle,
    ...(hidden ? [] : unrendered(pool)),
    ...(isRendered ? [...holdups(pool, object), ...cordonedNodes(pool)] : []), // no node can start until the config is rendered
    ...expiredCertificates(pool, object, facts.now),
  ];
}

const objectOf = ({ name }: PoolView) => ({ kind: "MachineConfigPool", name });

function renderFailures(pool: PoolView, object: KubeObject, { kubeletConfigs }: DoctorFacts): readonly RolloutCause[] {
  const failed = findTrue(readMachineConfigPool(object).conditions, "RenderDegraded");
  const refused = refusedKubeletConfigs(object, kubeletConfigs);
  const reportedSince = readTime(failed?.time ?? "");
  const reported = reportedSince === undefined ? {} : { reportedSince };
  return [
    ...(failed === undefined
      ? []
      : [
          {
            id: "RenderFailed" as const,
            object: objectOf(pool),
            values: { p: pool.name, text: failed.message },
            ...reported,
          },
        ]),
    ...refused.map(({ name, text }) => ({
      id: "KubeletConfigFailed" as const,
      object: { kind: "KubeletConfig", name },
      values: { k: name, text },
    })),
  ];
}

function deletedTargets(pool: PoolView): readonly RolloutCause[] {
  return pool.changes.flatMap(({ machineConfig, waiting }) => {
    if (waiting === undefined) return [];
    const restore = restoreCommand(waiting);
    return [
      {
        id: "TargetDeleted" as const,
        object: { kind: "MachineConfig", name: machineConfig },
        values: { p: pool.name, mc: machineConfig, ...(restore !== undefined && { restore }) },
        names: { config: waiting.config },
      },
    ];
  });
}

// Finds a change that the pool has not rendered. Skips deleted objects, which have their own finding or count as drift.
function unrendered(pool: PoolView): readonly RolloutCause[] {
  return pool.changes
    .filter((change) => change.isTargetGone !== true && !isTakenUp(change, pool.object))
    .map(({ machineConfig }) => ({
      id: "NotRendered",
      object: objectOf(pool),
      values: { p: pool.name, mc: machineConfig },
    }));
}

const renewalMs = 600_000;

// Finds an operator that is not processing the pool. An active operator reports drain attempts at least every 7
// minutes, and uncordons within seconds. It handles 5 nodes at a time, so the most recent report of any node counts.
function idleOperator(pool: PoolView, object: KubeObject, sightings: Sightings): readonly RolloutCause[] {
  const cause = { id: "ControllerDown" as const, object: objectOf(pool), values: { p: pool.name } };
  if (readMachineConfigPool(object).isBehind) return [cause];
  const shown = sightings.before(findingKey(cause.id, aboutFinding(undefined, cause.object)));
  const reports = pool.nodes.flatMap(({ node, phase, report }) => {
    const isUncordonOpen = phase === "Uncordoning" && node.desiredDrain !== node.lastAppliedDrain;
    const reported = phase === "Draining" ? (report?.conditions.Drained?.time ?? "") : "";
    const time = isUncordonOpen ? `uncordon ${report?.conditions.Uncordoned?.time ?? ""}` : reported;
    if (time === "") return [];
    const start = `drain report ${node.name} `;
    // After a restart of the process, continues with the age of the stored finding.
    const first = sightings.rest(start) === undefined ? shown : undefined;
    return [sightings.see(`${start}${time.slice(0, 40)}`, first)];
  });
  const newest = reports.toSorted((left, right) => left - right).at(-1);
  if (newest === undefined) return [];
  if (sightings.now - newest >= renewalMs) return [{ ...cause, since: newest }];
  sightings.expectAt(newest + renewalMs);
  return [];
}

function holdups(pool: PoolView, object: KubeObject): readonly RolloutCause[] {
  const waiting = pool.nodes.filter(({ phase }) => phase === "Waiting").length;
  if (waiting === 0) return [];
  const rollout = rolloutOfPool(object, pool.target);
  const limit = unavailableLimit(rollout, pool.nodes.length);
  const common = { object: objectOf(pool), names: { p: pool.name } };
  if (rollout.isPaused) return [{ id: "PoolPaused", ...common, values: { p: pool.name, k: waiting } }];
  if (limit === undefined)
    return [
      { id: "InvalidMaxUnavailable", ...common, values: { p: pool.name, x: String(rollout.maxUnavailable ?? "") } },
    ];
  const away = pool.nodes.filter(({ node, phase }) => phase !== "Degraded" && isUnavailable(rolloutNodeOf(node)));
  const isMoving = pool.nodes.some(({ phase }) => isInHand(phase));
  if (away.length < limit || isMoving) return [];
  const why = [...new Set(away.map(reasonAway))].toSorted().join(", ");
  const nodes = nameNodes(away.map(({ node }) => node.name));
  return [{ id: "MaxUnavailableUsed", ...common, values: { p: pool.name, k: limit, nodes, n: away.length, why } }];
}

function reasonAway({ node }: NodeView): string {
  if (node.currentConfig === "") return "not joined";
  return node.isReady ? "cordoned" : "not ready";
}

function cordonedNodes({ nodes }: PoolView): readonly RolloutCause[] {
  return nodes
    .filter(({ node, phase }) => phase === "Waiting" && node.isCordoned && !isAskedFor(node))
    .map(({ node: { name } }) => ({
      id: "CordonedByPerson",
      node: name,
      object: { kind: "Node", name },
      values: { n: name },
      names: { n: name },
    }));
}

function isAskedFor({ desiredDrain, lastAppliedDrain }: NodeView["node"]): boolean {
  return desiredDrain !== "" && !(desiredDrain.startsWith("uncordon-") && desiredDrain === lastAppliedDrain);
}

function expiredCertificates(pool: PoolView, object: KubeObject, now: number): readonly RolloutCause[] {
  const expired = readMachineConfigPool(object).certificates.filter(({ expiry }) => {
    const at = readTime(expiry);
    return at !== undefined && at < now;
  });
  return [...new Set(expired.map(({ subject }) => subject))]
    .toSorted()
    .map((subject) => ({ id: "CertificateExpired", object: objectOf(pool), values: { subject } }));
}

const idsByKind = new Map<string, "VirtDegraded" | "DeschedulerDegraded">([
  ["HyperConverged", "VirtDegraded"],
  ["KubeVirt", "VirtDegraded"],
  ["KubeDescheduler", "DeschedulerDegraded"],
]);

/**
 * Returns the causes, sorted by kind and name. A missing PSI in the descheduler is not a cause, because this rollout
 * enables PSI.
 */
export function operatorCauses({ operators }: DoctorFacts): readonly RolloutCause[] {
  return operators
    .toSorted(
      (left, right) => compareUtf8(left.kind, right.kind) || compareUtf8(left.metadata.name, right.metadata.name),
    )
    .flatMap((object): readonly RolloutCause[] => {
      const id = idsByKind.get(object.kind);
      const problem = problemOf(object);
      if (id === undefined || problem === undefined) return [];
      if (id === "DeschedulerDegraded" && `${problem.reason} ${problem.text ?? ""}`.includes("PSI")) return [];
      const { name, namespace } = object.metadata;
      const values = { Kind: object.kind, ...problem };
      return [{ id, object: { kind: object.kind, name, ...(namespace !== undefined && { namespace }) }, values }];
    });
}

// Matches the suffixes of condition types, because the descheduler operator has conditions for each of its controllers.
function problemOf(object: KubeObject): { readonly reason: string; readonly text?: string } | undefined {
  const found = conditionsOf(object).find(
    ({ type, status }) =>
      (type.endsWith("Available") && status === "False") || (type.endsWith("Degraded") && status === "True"),
  );
  if (found === undefined) return undefined;
  const { type, reason, message } = found;
  return { reason: reason || type, ...(message !== "" && { text: message }) };
}
