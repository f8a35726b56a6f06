// Simulates the machine-config-controller: renders pools, assigns targets to nodes in order and reports status.

import { poolOfNode, readMachineConfigPool, renderConfig } from "@virt/cluster";
import { beginRollout, nextNodes, type RolloutNode, refusedKubeletConfigs, rolloutOfPool } from "@virt/impact";
import {
  asList,
  asText,
  at,
  equalJson,
  type Json,
  type JsonMap,
  type KubeObject,
  matchesSelector,
  member,
  readDataUrl,
} from "@virt/objects";
import { type ClusterState, faultOf, findObject, simulatedMs, withTransitionTimes } from "../cluster-state.ts";
import { desiredConfig, generatedBy, hasJoined, machineConfigApi, readNode } from "../node-state.ts";
import type { ObjectWrite } from "../object-writes.ts";
import { poolStatus } from "../pool-status.ts";
import { readSeconds, type SimulatedTimers } from "../simulated-timers.ts";

const manager = "machine-config-operator";

export function reconcilePools(cluster: ClusterState, timers: SimulatedTimers): readonly ObjectWrite[] {
  const pools = cluster.list("MachineConfigPool");
  const nodes = cluster.list("Node").map((node) => ({ node, pool: poolOfNode(node.metadata.labels ?? {}, pools) }));
  return pools.flatMap((pool) => {
    if (faultOf(pool, "operator-down") !== undefined) return [];
    const members = nodes.filter((each) => each.pool === pool.metadata.name).map(({ node }) => node);
    const error = renderError(pool, cluster.list("MachineConfig"));
    const isBlocked = refusedKubeletConfigs(pool, cluster.list("KubeletConfig")).length > 0;
    const rendered = error === undefined && !isBlocked ? renderPool(cluster, timers, pool) : [];
    return [...rendered, ...rollOutPool(cluster, pool, { members, error })];
  });
}

function renderPool(cluster: ClusterState, timers: SimulatedTimers, pool: KubeObject): readonly ObjectWrite[] {
  const { object, source } = renderConfig(pool, cluster.list("MachineConfig"));
  const { name } = object.metadata;
  const sources = source.map((each) => ({ apiVersion: machineConfigApi, kind: "MachineConfig", name: each }));
  const present = at(pool, "spec", "configuration");
  const isThere = at(present, "name") === name && equalJson(asList(at(present, "source")), sources);
  const isFirst = at(present, "name") === undefined;
  if (isThere || !(isFirst || isDelayOver(cluster, timers, pool))) return [];
  if (findObject(cluster, "MachineConfig", name) === undefined)
    return [{ kind: "create", object: ownedByPool(object, pool), manager }];
  const event = `pool ${pool.metadata.name} targets ${name}, rendered from ${source.join(", ")}`;
  return [
    { kind: "set", object: pool, fields: { spec: { configuration: { name, source: sources } } }, manager, event },
  ];
}

function isDelayOver(cluster: ClusterState, timers: SimulatedTimers, pool: KubeObject): boolean {
  const { name } = pool.metadata;
  const seconds = readSeconds(faultOf(pool, "render-delay") ?? "");
  const ms = seconds === undefined ? simulatedMs(cluster, "render", "render", name) : seconds * 1000;
  return timers.hasElapsed(`render ${name} ${seconds ?? ""}`, ms);
}

function ownedByPool(object: KubeObject, { metadata: { name, uid = "" } }: KubeObject): KubeObject {
  const ownerReferences = [
    { apiVersion: machineConfigApi, kind: "MachineConfigPool", name, uid, controller: true, blockOwnerDeletion: true },
  ];
  return { ...object, metadata: { ...object.metadata, annotations: { [generatedBy]: "simulated" }, ownerReferences } };
}

type PoolMembers = { readonly members: readonly KubeObject[]; readonly error: string | undefined };

function rollOutPool(cluster: ClusterState, pool: KubeObject, { members, error }: PoolMembers): readonly ObjectWrite[] {
  const wanted = readMachineConfigPool(pool).target.name;
  if (wanted === undefined)
    return error === undefined ? [] : [poolStatusWrite(cluster, pool, { wanted: "", nodes: [], error })];
  const nodes = members.map(readNode);
  const rollout = rolloutOfPool(pool, wanted);
  const targets = nextNodes(rollout, nodes).flatMap((node): readonly ObjectWrite[] => {
    const object = members.find(({ metadata }) => metadata.name === node.name);
    const annotations = { [desiredConfig]: beginRollout(node, rollout).desired };
    return object === undefined ? [] : [{ kind: "set", object, fields: { metadata: { annotations } }, manager }];
  });
  const taints = rollout.isPaused ? [] : members.map((node) => taintWrite(node, wanted));
  return [...taints, ...targets, poolStatusWrite(cluster, pool, { wanted, nodes, error })];
}

const updateTaint = { key: "UpdateInProgress", effect: "PreferNoSchedule" };

// The taint steers pods to updated nodes. Checked against syncMachineConfigPool in
// pkg/controller/node/node_controller.go of openshift/machine-config-operator at 7ff337a.
function taintWrite(node: KubeObject, wanted: string): ObjectWrite {
  const others = asList(at(node, "spec", "taints")).filter((taint) => member(taint, "key") !== updateTaint.key);
  const isWaiting = hasJoined(node) && readNode(node).desired !== wanted;
  const taints = isWaiting ? [...others, updateTaint] : others;
  return { kind: "set", object: node, fields: { spec: { taints: taints.length === 0 ? null : taints } }, manager };
}

type PoolRollout = {
  readonly wanted: string;
  readonly nodes: readonly RolloutNode[];
  readonly error: string | undefined;
};

function poolStatusWrite(cluster: ClusterState, pool: KubeObject, { wanted, nodes, error }: PoolRollout): ObjectWrite {
  const { isFinished, conditions, ...counts } = poolStatus(rolloutOfPool(pool, wanted), nodes, error);
  const configuration = at(pool, "spec", "configuration") as JsonMap | undefined;
  const isNewConfiguration =
    isFinished && configuration !== undefined && readMachineConfigPool(pool).current.name !== wanted;
  const status = {
    ...counts,
    observedGeneration: pool.metadata.generation ?? 1,
    conditions: withTransitionTimes(pool, conditions, cluster.timestamp),
    ...expiredCertificates(pool),
    ...(isFinished && configuration !== undefined && { configuration }),
  };
  const event = isNewConfiguration ? { event: `pool ${pool.metadata.name} is updated to ${wanted}` } : {};
  return { kind: "set", object: pool, fields: { status }, isStatus: true, manager, ...event };
}

const longAgo = "2001-02-03T04:05:06Z";

function expiredCertificates(pool: KubeObject): JsonMap {
  const subject = faultOf(pool, "certificate-expired");
  const expired = { bundle: "KubeAPIServerServingCAData", subject: subject || "CN=simulated", expiry: longAgo };
  return { certExpirys: subject === undefined ? null : [expired] };
}

const supported = ["2.2.0", "3.0.0", "3.1.0", "3.2.0", "3.3.0", "3.4.0", "3.5.0"];

export function renderError(pool: KubeObject, machineConfigs: readonly KubeObject[]): string | undefined {
  const fault = faultOf(pool, "render-error");
  if (fault !== undefined) return renderFailure(pool, fault || "simulated failure");
  const selector = readMachineConfigPool(pool).machineConfigSelector;
  const selected = machineConfigs.filter(({ metadata }) => matchesSelector(selector, metadata.labels ?? {}));
  if (selected.length === 0) return renderFailure(pool, "no MachineConfigs found matching selector");
  const [error] = selected.flatMap((machineConfig) => {
    const found = ignitionError(at(machineConfig, "spec", "config"));
    return found === undefined ? [] : [`${found}, in MachineConfig ${machineConfig.metadata.name}`];
  });
  return error === undefined ? undefined : renderFailure(pool, error);
}

function renderFailure({ metadata }: KubeObject, error: string): string {
  return `Failed to render configuration for pool ${metadata.name}: ${error}`;
}

function ignitionError(config: Json | undefined): string | undefined {
  if (config === undefined || config === null) return undefined;
  const version = asText(at(config, "ignition", "version")) ?? "";
  if (!supported.includes(version)) {
    return `parsing Ignition config failed: unknown version "${version}". Supported spec versions: ${supported.map((each) => each.slice(0, 3)).join(", ")}`;
  }
  const files = asList(at(config, "storage", "files"));
  const units = asList(at(config, "systemd", "units"));
  return [...files.map(fileError), ...units.map(unitError), twiceError(files, "path"), twiceError(units, "name")].find(
    (error) => error !== undefined,
  );
}

function fileError(file: Json): string | undefined {
  const path = asText(member(file, "path"));
  const source = asText(at(file, "contents", "source"));
  if (path === undefined || !path.startsWith("/")) return "parsing Ignition config failed: path not absolute";
  const isBroken = source?.startsWith("data:") === true && readDataUrl(source) === undefined;
  return isBroken ? `could not decode file "${path}": illegal data` : undefined;
}

function unitError(unit: Json): string | undefined {
  const isNamed = asText(member(unit, "name")) !== undefined;
  return isNamed ? undefined : "parsing Ignition config failed: invalid systemd unit extension";
}

function twiceError(parts: readonly Json[], key: string): string | undefined {
  const names = parts.map((part) => asText(member(part, key)));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? undefined : `parsing Ignition config failed: duplicate entry defined: ${twice}`;
}
