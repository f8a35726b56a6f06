// Computes the effect of writes on nodes: the object before and after the write, and the disruption of each pool.

import { fieldManagers, type Json, type JsonMap, type KubeObject, type PoolDisruption } from "@virt/api";
import { affectedPools, isEmptySelector, readKubeletConfig, roleLabel } from "@virt/cluster";
import {
  type Assessment,
  classOfChange,
  type DisruptionPolicies,
  disruptionOf,
  type MachineConfigWrite,
  worstClass,
} from "@virt/impact";
import {
  appliedBy,
  at,
  compareUtf8,
  entriesOf,
  equalJson,
  fieldSet,
  isMap,
  leafPaths,
  leaveOut,
  leavesOf,
  matchesSelector,
  readOwners,
  type ShapeOf,
} from "@virt/objects";
import { isHeldBy } from "../baseline/compare.ts";
import type { ApplyDecision, ObjectDecision } from "../baseline/decision.ts";
import type { ManagedObject } from "../evaluate/evaluate-object.ts";

const group = "machineconfiguration.openshift.io/";

/** A pending write of a MachineConfig or KubeletConfig. `before` is undefined on creation, `after` on deletion. */
export type NodeWrite = MachineConfigWrite;

/** Returns the write of an apply, or undefined if it does not affect nodes. */
export function nodeWriteOf(
  { assets }: ManagedObject,
  decision: ObjectDecision,
  { live, shapeOf }: { readonly live: KubeObject | undefined; readonly shapeOf: ShapeOf },
): NodeWrite | undefined {
  if (decision.kind !== "apply") return undefined;
  const { intent } = decision.apply;
  if (!isOnNodes(assets, intent)) return undefined;
  const after = live === undefined ? intent : appliedOver(live, decision.apply, shapeOf);
  const isOther = contentKeys.some((path) => !equalJson(at(live, ...path), at(after, ...path)));
  return isOther ? { before: live, after } : undefined;
}

/** Returns the write that deletes an object, or undefined if it does not affect nodes. */
export function nodeRemovalOf({ assets }: Pick<ManagedObject, "assets">, live: KubeObject): NodeWrite | undefined {
  return isOnNodes(assets, live) ? { before: live, after: undefined } : undefined;
}

function isOnNodes(assets: ManagedObject["assets"], { apiVersion }: KubeObject): boolean {
  return apiVersion.startsWith(group) && assets.some(({ impact }) => impact === "reboot");
}

/** The parts of an object that affect rollouts: its content, and the role label by which pools select it. */
const contentKeys: readonly (readonly string[])[] = [["spec"], ["metadata", "labels", roleLabel]];

/** Merges an apply like the server, but replaces lists, so that the change is never underestimated. */
function appliedOver(live: KubeObject, { intent, handOver }: ApplyDecision, shapeOf: ShapeOf): KubeObject {
  const kept = fieldSet([...leafPaths(intent, shapeOf), ...handOver]);
  const owned = leavesOf(appliedBy(readOwners(live), fieldManagers.platform));
  const left = leaveOut(
    live,
    owned.filter((path) => !isHeldBy(kept, path)),
  );
  return overlaid(left, intent) as KubeObject;
}

function overlaid(under: Json | undefined, over: Json): Json {
  if (!isMap(under) || !isMap(over)) return over;
  return { ...under, ...Object.fromEntries(entriesOf(over).map(([key, value]) => [key, overlaid(under[key], value)])) };
}

/** Returns the combined disruption of the writes for each affected pool. */
export function disruptionOfWrites(
  writes: readonly NodeWrite[],
  pools: readonly KubeObject[],
  policies: Assessment<DisruptionPolicies>,
): readonly PoolDisruption[] {
  const isKubelet = ({ before, after }: NodeWrite) => (after ?? before)?.kind === "KubeletConfig";
  const configs = writes.filter((write) => !isKubelet(write));
  const found = [
    ...disruptionOf(configs, pools, policies),
    ...writes.filter(isKubelet).flatMap((write) => kubeletDisruption(write, pools, policies)),
  ];
  return [...Map.groupBy(found, ({ pool }) => pool)]
    .map(([pool, each]) => ({ pool, class: worstClass(each.map((one) => one.class)) }))
    .filter((each) => each.class !== "None")
    .toSorted((left, right) => compareUtf8(left.pool, right.pool));
}

/**
 * Returns the disruption that a KubeletConfig causes. The Machine Config Operator writes a MachineConfig for each
 * selected pool, and custom pools may inherit it.
 */
function kubeletDisruption(
  { before, after }: NodeWrite,
  pools: readonly KubeObject[],
  policies: Assessment<DisruptionPolicies>,
): readonly PoolDisruption[] {
  const configs = [before, after].flatMap((config) => (config === undefined ? [] : readKubeletConfig(config)));
  const isSized = configs.some(({ isAutoSized }) => isAutoSized);
  const files = ["/etc/kubernetes/kubelet.conf", ...(isSized ? ["/etc/node-sizing-enabled.env"] : [])];
  const disruption = classOfChange({ isOfSystem: false, files, units: [], isOfUsers: false }, policies);
  const selected = pools.filter(({ metadata }) =>
    configs.some(({ poolSelector }) => isSelected(poolSelector, metadata.labels)),
  );
  const names = selected.flatMap(({ metadata }) => affectedPools(pools, generatedFor(metadata.name)));
  return [...new Set(names)].map((pool) => ({ pool, class: disruption }));
}

/** Reports whether the selector matches. An empty selector matches nothing. */
function isSelected(selector: Json | undefined, labels: Readonly<Record<string, string>> = {}): boolean {
  return !isEmptySelector(selector) && matchesSelector(selector, labels);
}

function generatedFor(pool: string): KubeObject {
  const labels: JsonMap = { [roleLabel]: pool };
  return {
    apiVersion: `${group}v1`,
    kind: "MachineConfig",
    metadata: { name: `99-${pool}-generated-kubelet`, labels },
  } as KubeObject;
}
