// Renders pools from MachineConfigs, gives nodes their target in the order of the rollout model, and reports how far they are.

import {
  asList,
  asText,
  at,
  begin,
  equalJson,
  type JsonMap,
  type KubeObject,
  nextNodes,
  poolOfNode,
  poolStatus,
  type RolloutNode,
  type RolloutPool,
  renderConfig,
} from "@virt/engine";
import type { Agenda } from "../agenda.ts";
import { withTimes } from "../conditions.ts";
import { desiredConfig, generatedBy, machineConfigApi } from "../marks.ts";
import { readNode } from "../node-state.ts";
import { readSeconds } from "../read-seconds.ts";
import { renderError } from "../render-error.ts";
import type { Wish } from "../wish.ts";
import { faultOf, find, lasting, type World } from "../world.ts";

const manager = "machine-config-operator";

export function machineConfigOperator(world: World, agenda: Agenda): readonly Wish[] {
  const pools = world.of("MachineConfigPool");
  const nodes = world.of("Node").map((node) => ({ node, pool: poolOfNode(node.metadata.labels ?? {}, pools) }));
  return pools.flatMap((pool) => {
    const members = nodes.filter((each) => each.pool === pool.metadata.name).map(({ node }) => node);
    const error = renderError(pool, world.of("MachineConfig"));
    const rendered = error === undefined ? render(world, agenda, pool) : [];
    return [...rendered, ...rollOut(world, pool, { members, error })];
  });
}

function render(world: World, agenda: Agenda, pool: KubeObject): readonly Wish[] {
  const { object, source } = renderConfig(pool, world.of("MachineConfig"));
  const { name } = object.metadata;
  const sources = source.map((each) => ({ apiVersion: machineConfigApi, kind: "MachineConfig", name: each }));
  const present = at(pool, "spec", "configuration");
  const isThere = at(present, "name") === name && equalJson(asList(at(present, "source")), sources);
  const isFirst = at(present, "name") === undefined;
  if (isThere || !(isFirst || isDelayOver(world, agenda, pool))) return [];
  if (find(world, "MachineConfig", name) === undefined)
    return [{ kind: "create", object: owned(object, pool), manager }];
  const event = `pool ${pool.metadata.name} aims at ${name}, made of ${source.join(", ")}`;
  return [
    { kind: "set", object: pool, fields: { spec: { configuration: { name, source: sources } } }, manager, event },
  ];
}

function isDelayOver(world: World, agenda: Agenda, pool: KubeObject): boolean {
  const { name } = pool.metadata;
  const seconds = readSeconds(faultOf(pool, "render-delay") ?? "");
  const ms = seconds === undefined ? lasting(world, "render", "render", name) : seconds * 1000;
  return agenda.passed(`render ${name} ${seconds ?? ""}`, ms);
}

function owned(object: KubeObject, { metadata: { name, uid = "" } }: KubeObject): KubeObject {
  const ownerReferences = [
    { apiVersion: machineConfigApi, kind: "MachineConfigPool", name, uid, controller: true, blockOwnerDeletion: true },
  ];
  return { ...object, metadata: { ...object.metadata, annotations: { [generatedBy]: "simulated" }, ownerReferences } };
}

type Members = { readonly members: readonly KubeObject[]; readonly error: string | undefined };

function rollOut(world: World, pool: KubeObject, { members, error }: Members): readonly Wish[] {
  const wanted = asText(at(pool, "spec", "configuration", "name"));
  if (wanted === undefined) return error === undefined ? [] : [report(world, pool, { wanted: "", nodes: [], error })];
  const nodes = members.flatMap((node) => readNode(node) ?? []);
  const rollout = rolloutOf(pool, wanted);
  const targets = nextNodes(rollout, nodes).flatMap((node): readonly Wish[] => {
    const object = members.find(({ metadata }) => metadata.name === node.name);
    const annotations = { [desiredConfig]: begin(node, rollout).desired };
    return object === undefined ? [] : [{ kind: "set", object, fields: { metadata: { annotations } }, manager }];
  });
  return [...targets, report(world, pool, { wanted, nodes, error })];
}

/** A pool as the rollout model sees it. */
export function rolloutOf(pool: KubeObject, wanted: string): RolloutPool {
  const maxUnavailable = at(pool, "spec", "maxUnavailable");
  const isLimit = typeof maxUnavailable === "number" || typeof maxUnavailable === "string";
  return {
    name: pool.metadata.name,
    wanted,
    isPaused: at(pool, "spec", "paused") === true,
    ...(isLimit && { maxUnavailable }),
  };
}

type State = { readonly wanted: string; readonly nodes: readonly RolloutNode[]; readonly error: string | undefined };

function report(world: World, pool: KubeObject, { wanted, nodes, error }: State): Wish {
  const { isFinished, conditions, ...counts } = poolStatus(rolloutOf(pool, wanted), nodes, error);
  const configuration = at(pool, "spec", "configuration") as JsonMap | undefined;
  const isNews = isFinished && configuration !== undefined && at(pool, "status", "configuration", "name") !== wanted;
  const status = {
    ...counts,
    observedGeneration: pool.metadata.generation ?? 1,
    conditions: withTimes(pool, conditions, world.wall),
    ...(isFinished && configuration !== undefined && { configuration }),
  };
  const event = isNews ? { event: `pool ${pool.metadata.name} is updated to ${wanted}` } : {};
  return { kind: "set", object: pool, fields: { status }, isStatus: true, manager, ...event };
}
