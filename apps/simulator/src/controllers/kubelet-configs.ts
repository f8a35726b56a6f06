// Generates a MachineConfig for each pool that a KubeletConfig selects.

import { asList, at, isMap, type KubeObject, matchesSelector, member } from "@virt/objects";
import { type ClusterState, findObject } from "../cluster-state.ts";
import { byCreation } from "../evictions.ts";
import { generatedBy, machineConfigApi, nameSuffix } from "../node-state.ts";
import type { ObjectWrite } from "../object-writes.ts";
import { file, machineConfigObject } from "../objects/pools.ts";

const manager = "machine-config-operator";

export function reconcileKubeletConfigs(cluster: ClusterState): readonly ObjectWrite[] {
  const all = cluster.list("KubeletConfig").toSorted(byCreation);
  const [stranger] = all.filter((config) => suffixOf(config) === undefined && !isTerminating(config)); // one per round
  return [
    ...(stranger === undefined ? [] : [assignSuffix(stranger, nextSuffix(all))]),
    ...all.flatMap((config) => {
      const suffix = suffixOf(config);
      if (isTerminating(config)) return deleteGenerated(cluster, config);
      return suffix === undefined ? [] : reconcileKubeletConfig(cluster, config, suffix);
    }),
  ];
}

function suffixOf({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.[nameSuffix];
}

function isTerminating(config: KubeObject): boolean {
  return at(config, "metadata", "deletionTimestamp") !== undefined;
}

function assignSuffix(config: KubeObject, suffix: string): ObjectWrite {
  const others = Object.keys(config.metadata.annotations ?? {}).map((name) => [name, null]);
  const annotations = { ...Object.fromEntries(others), [nameSuffix]: suffix };
  return { kind: "set", object: config, fields: { metadata: { annotations } }, manager };
}

function nextSuffix(all: readonly KubeObject[]): string {
  const taken = all.flatMap((config) => suffixOf(config) ?? []);
  return taken.length === 0 ? "" : `${Math.max(...taken.map(Number)) + 1}`;
}

function reconcileKubeletConfig(cluster: ClusterState, config: KubeObject, suffix: string): readonly ObjectWrite[] {
  const selector = at(config, "spec", "machineConfigPoolSelector");
  const pools = cluster
    .list("MachineConfigPool")
    .filter(({ metadata }) => matchesSelector(selector, metadata.labels ?? {}));
  if (pools.length === 0) {
    const text = `could not find any MachineConfigPool set for KubeletConfig ${config.metadata.name}`;
    return [kubeletConfigStatus(cluster, config, `Error: ${text}`)];
  }
  const forbidden = forbiddenSetting(config);
  if (forbidden !== undefined) return [kubeletConfigStatus(cluster, config, `Error: ${forbidden}`)];
  const generated = pools.map(({ metadata }) => generatedMachineConfig(config, metadata.name, suffix));
  const finalizers = generated.map(({ metadata }) => metadata.name);
  return [
    ...generated.map((wanted) => machineConfigWrite(cluster, wanted)),
    { kind: "set", object: config, fields: { metadata: { finalizers } }, manager },
    kubeletConfigStatus(cluster, config, undefined),
  ];
}

/** Settings that users may not change, in the order in which the Machine Config Operator checks them. */
const ownSettings = ["cgroupDriver", "clusterDNS", "clusterDomain", "runtimeRequestTimeout", "staticPodPath"];

function forbiddenSetting(config: KubeObject): string | undefined {
  const name = ownSettings.find((setting) => at(config, "spec", "kubeletConfig", setting) !== undefined);
  return name && `KubeletConfiguration: ${name} is not allowed to be set in KubeletConfig ${config.metadata.name}`;
}

function generatedMachineConfig(config: KubeObject, pool: string, suffix: string): KubeObject {
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
  const object = machineConfigObject(`99-${pool}-generated-kubelet${suffix === "" ? "" : `-${suffix}`}`, pool, {
    files,
  });
  const { name, uid = "" } = config.metadata;
  const ownerReferences = [
    { apiVersion: machineConfigApi, kind: "KubeletConfig", name, uid, controller: true, blockOwnerDeletion: true },
  ];
  return { ...object, metadata: { ...object.metadata, annotations: { [generatedBy]: "simulated" }, ownerReferences } };
}

function machineConfigWrite(cluster: ClusterState, wanted: KubeObject): ObjectWrite {
  const object = findObject(cluster, "MachineConfig", wanted.metadata.name);
  if (object === undefined) return { kind: "create", object: wanted, manager };
  return { kind: "set", object, fields: { spec: wanted["spec"] ?? {} }, manager };
}

function deleteGenerated(cluster: ClusterState, config: KubeObject): readonly ObjectWrite[] {
  const names = (at(config, "metadata", "finalizers") ?? []) as readonly string[];
  const left = names.flatMap((name) => findObject(cluster, "MachineConfig", name) ?? []);
  if (left.length > 0) return left.map((object) => ({ kind: "delete", object, manager }));
  const event = `kubelet config ${config.metadata.name} is gone, with ${names.join(", ")}`;
  return names.length === 0
    ? []
    : [{ kind: "set", object: config, fields: { metadata: { finalizers: [] } }, manager, event }];
}

const keptTries = 3;

// Keeps the results of the last attempts. Repeats the latest one in the condition type that older releases use.
function kubeletConfigStatus(cluster: ClusterState, config: KubeObject, error: string | undefined): ObjectWrite {
  const message = error ?? "Success";
  const isAccepted = error === undefined;
  const known = asList(at(config, "status", "conditions")).filter((each) => member(each, "type") === "Accepted");
  const last = known.at(-1);
  const isSame = last !== undefined && member(last, "message") === message;
  const lastTransitionTime = isSame ? (member(last, "lastTransitionTime") ?? "") : cluster.timestamp;
  const common = { reason: "", message, lastTransitionTime };
  const accepted = { type: "Accepted", status: isAccepted ? "True" : "False", ...common };
  const legacy = { type: isAccepted ? "Success" : "Failure", status: "True", ...common };
  const tries = isSame ? known : [...known, accepted].slice(-keptTries);
  const status = { observedGeneration: config.metadata.generation ?? 1, conditions: [...tries, legacy] };
  return { kind: "set", object: config, fields: { status }, isStatus: true, manager };
}
