// Reduces objects to the fields that a page needs, because a cluster can have thousands of VMs and nodes.

import type { Json, JsonMap, KubeObject } from "@virt/api";
import { asList, at, entriesOf, isMap, member } from "@virt/objects";
import type { WatchedName } from "./watched-kinds.ts";

/** Returns a smaller object of the same shape. */
export function projectForPage(name: WatchedName, object: KubeObject): KubeObject {
  const metadata = withoutOwners(object.metadata);
  switch (name) {
    case "nodes":
      return {
        ...typeOf(object),
        metadata: nodeMetadata(metadata),
        spec: pick(object["spec"], ["unschedulable"]),
        status: nodeStatus(object),
      };
    case "vms":
      return {
        ...typeOf(object),
        metadata: only(metadata, ["name", "namespace", "uid", "resourceVersion", "deletionTimestamp"]),
        status: pick(object["status"], ["phase", "nodeName", "evacuationNodeName", "migrationState"]),
      };
    case "advisorEvents":
    case "platformEvents":
      return {
        ...typeOf(object),
        metadata: only(metadata, ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"]),
        ...pick(object, ["type", "reason", "note", "eventTime", "series"]),
        regarding: pick(object["regarding"], ["kind", "namespace", "name"]),
        related: pick(object["related"], ["kind", "namespace", "name"]),
      };
    case "machineConfigNodes":
    case "pools":
    case "configs":
    case "reports":
    case "advisorLeases":
    case "platformLeases":
      return { ...object, metadata };
  }
}

function typeOf({ apiVersion, kind }: KubeObject): Pick<KubeObject, "apiVersion" | "kind"> {
  return { apiVersion, kind };
}

function withoutOwners({ managedFields: _owners, ...metadata }: KubeObject["metadata"]): KubeObject["metadata"] {
  return metadata;
}

function only(metadata: KubeObject["metadata"], keys: readonly string[]): KubeObject["metadata"] {
  return pick(metadata, keys) as KubeObject["metadata"];
}

function nodeMetadata(metadata: KubeObject["metadata"]): KubeObject["metadata"] {
  const kept = only(metadata, ["name", "uid", "resourceVersion", "creationTimestamp"]);
  const ofMachineConfig = (key: string) => key.startsWith("machineconfiguration.openshift.io/");
  return {
    ...kept,
    labels: filter(metadata.labels, (key) => !isCpuLabel(key)),
    annotations: filter(metadata.annotations, ofMachineConfig),
  };
}

function nodeStatus({ status }: KubeObject): JsonMap {
  const conditions = asList(member(status, "conditions")).map((condition) => pick(condition, ["type", "status"]));
  return { conditions };
}

function pick(value: Json | undefined, keys: readonly string[]): JsonMap {
  return Object.fromEntries(keys.flatMap((key) => (at(value, key) === undefined ? [] : [[key, at(value, key)]])));
}

function filter(map: Json | undefined, isKept: (key: string) => boolean): Readonly<Record<string, string>> {
  if (!isMap(map)) return {};
  return Object.fromEntries(
    entriesOf(map).flatMap(([key, value]) => (typeof value === "string" && isKept(key) ? [[key, value]] : [])),
  );
}

/** Nodes have hundreds of these labels, and no pool selects by them. */
function isCpuLabel(key: string): boolean {
  return ["cpu-", "hyperv.", "host-model-", "feature.node.kubernetes.io/"].some((start) => key.startsWith(start));
}
