// Turns KubeletConfigs into MachineConfigs, one for each pool that a KubeletConfig selects.

import { at, isMap, type KubeObject, matchesSelector } from "@virt/engine";
import { withTimes } from "../conditions.ts";
import { byAge } from "../evictions.ts";
import { generatedBy, machineConfigApi, nameSuffix } from "../marks.ts";
import { file, machineConfig } from "../objects/pools.ts";
import type { Wish } from "../wish.ts";
import { find, type World } from "../world.ts";

const manager = "machine-config-operator";

export function kubeletConfigs(world: World): readonly Wish[] {
  const all = world.of("KubeletConfig").toSorted(byAge);
  const [stranger] = all.filter((config) => suffixOf(config) === undefined && !isGoing(config)); // one at a time: each gets a number
  return [
    ...(stranger === undefined ? [] : [adopt(stranger, nextSuffix(all))]),
    ...all.flatMap((config) => {
      const suffix = suffixOf(config);
      if (isGoing(config)) return takeAway(world, config);
      return suffix === undefined ? [] : carryOut(world, config, suffix);
    }),
  ];
}

function suffixOf({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.[nameSuffix];
}

function isGoing(config: KubeObject): boolean {
  return at(config, "metadata", "deletionTimestamp") !== undefined;
}

// As the real one does, it replaces all annotations that were there.
function adopt(config: KubeObject, suffix: string): Wish {
  const others = Object.keys(config.metadata.annotations ?? {}).map((name) => [name, null]);
  const annotations = { ...Object.fromEntries(others), [nameSuffix]: suffix };
  return { kind: "set", object: config, fields: { metadata: { annotations } }, manager };
}

function nextSuffix(all: readonly KubeObject[]): string {
  const taken = all.flatMap((config) => suffixOf(config) ?? []);
  return taken.length === 0 ? "" : `${Math.max(...taken.map(Number)) + 1}`;
}

function carryOut(world: World, config: KubeObject, suffix: string): readonly Wish[] {
  const selector = at(config, "spec", "machineConfigPoolSelector");
  const pools = world
    .of("MachineConfigPool")
    .filter(({ metadata }) => matchesSelector(selector, metadata.labels ?? {}));
  if (pools.length === 0) {
    const text = `could not find any MachineConfigPool set for KubeletConfig ${config.metadata.name}`;
    return [report(world, config, `Error: ${text}`)];
  }
  const generated = pools.map(({ metadata }) => generate(config, metadata.name, suffix));
  const finalizers = generated.map(({ metadata }) => metadata.name);
  return [
    ...generated.map((wanted) => keep(world, wanted)),
    { kind: "set", object: config, fields: { metadata: { finalizers } }, manager },
    report(world, config, undefined),
  ];
}

function generate(config: KubeObject, pool: string, suffix: string): KubeObject {
  const kubelet = at(config, "spec", "kubeletConfig");
  const settings = {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    ...(isMap(kubelet) && kubelet),
  };
  const isAuto = at(config, "spec", "autoSizingReserved") === true;
  const files = [
    file("/etc/kubernetes/kubelet.conf", `${JSON.stringify(settings, undefined, 2)}\n`),
    ...(isAuto ? [file("/etc/node-sizing-enabled.env", "NODE_SIZING_ENABLED=true\n")] : []),
  ];
  const object = machineConfig(`99-${pool}-generated-kubelet${suffix === "" ? "" : `-${suffix}`}`, pool, { files });
  const { name, uid = "" } = config.metadata;
  const ownerReferences = [
    { apiVersion: machineConfigApi, kind: "KubeletConfig", name, uid, controller: true, blockOwnerDeletion: true },
  ];
  return { ...object, metadata: { ...object.metadata, annotations: { [generatedBy]: "simulated" }, ownerReferences } };
}

function keep(world: World, wanted: KubeObject): Wish {
  const object = find(world, "MachineConfig", wanted.metadata.name);
  if (object === undefined) return { kind: "create", object: wanted, manager };
  return { kind: "set", object, fields: { spec: wanted["spec"] ?? {} }, manager };
}

// The finalizers are the names of the MachineConfigs that must go first.
function takeAway(world: World, config: KubeObject): readonly Wish[] {
  const names = (at(config, "metadata", "finalizers") ?? []) as readonly string[];
  const left = names.flatMap((name) => find(world, "MachineConfig", name) ?? []);
  if (left.length > 0) return left.map((object) => ({ kind: "delete", object, manager }));
  const event = `kubelet config ${config.metadata.name} is gone, with ${names.join(", ")}`;
  return names.length === 0
    ? []
    : [{ kind: "set", object: config, fields: { metadata: { finalizers: [] } }, manager, event }];
}

function report(world: World, config: KubeObject, error: string | undefined): Wish {
  const condition =
    error === undefined
      ? ({ type: "Success", status: "True", reason: "", message: "Success" } as const)
      : ({ type: "Failure", status: "False", reason: "", message: error } as const);
  const status = {
    observedGeneration: config.metadata.generation ?? 1,
    conditions: withTimes(config, [condition], world.wall),
  };
  return { kind: "set", object: config, fields: { status }, isStatus: true, manager };
}
