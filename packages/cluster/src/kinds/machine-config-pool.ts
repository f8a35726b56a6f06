// Reads MachineConfigPools: the target of their nodes and the progress towards it.

import {
  asList,
  asNumber,
  asText,
  at,
  type InformerSpec,
  isMap,
  type Json,
  type KubeObject,
  member,
  oncePer,
} from "@virt/objects";
import { conditionsOf, isBehind, type ObjectCondition } from "../health/conditions.ts";

const machineConfigApi = "machineconfiguration.openshift.io/v1";

/** All pools, with the fields that show the progress of a rollout. */
export const poolInformer: InformerSpec = {
  apiVersion: machineConfigApi,
  kind: "MachineConfigPool",
  projection: { keep: "parts", parts: [["metadata", "generation"], ["metadata", "labels"], ["spec"], ["status"]] },
};

/** Returns an informer for one pool that keeps only the labels and the target config. All other fields are absent. */
export function poolInformerOf(name: string): InformerSpec {
  const parts = [
    ["metadata", "labels"],
    ["spec", "configuration"],
  ];
  return { apiVersion: machineConfigApi, kind: "MachineConfigPool", name, projection: { keep: "parts", parts } };
}

/** The parts of a MachineConfigPool that determine how it rolls out changes. */
export type MachineConfigPool = {
  readonly name: string;
  readonly isPaused: boolean;
  /** A value such as 2 or "10%". Undefined if it is absent or has another type. */
  readonly maxUnavailable: number | string | undefined;
  readonly nodeSelector: Json | undefined;
  readonly machineConfigSelector: Json | undefined;
  /** The config that the nodes must run. */
  readonly target: PoolConfiguration;
  /** The last config that all machines ran. */
  readonly current: PoolConfiguration;
  readonly hasStatus: boolean;
  /** True if the status is older than the spec. */
  readonly isBehind: boolean;
  readonly machines: MachineCounts;
  readonly conditions: readonly ObjectCondition[];
  /** Certificates that the pool distributes. `expiry` is in RFC 3339 format. */
  readonly certificates: readonly { readonly subject: string; readonly expiry: string }[];
};

/** A rendered config. `name` is undefined until it is rendered. `sources` lists its MachineConfigs in order. */
export type PoolConfiguration = { readonly name: string | undefined; readonly sources: readonly string[] };

/** Machine counts. `ready` counts machines that are both ready and updated. Missing counts are 0. */
export type MachineCounts = {
  readonly all: number;
  readonly updated: number;
  readonly ready: number;
  readonly unavailable: number;
  readonly degraded: number;
};

/** Reads a MachineConfigPool of any shape. Memoized. */
export const readMachineConfigPool: (pool: KubeObject) => MachineConfigPool = oncePer((pool) => {
  const [spec, status] = [member(pool, "spec"), member(pool, "status")];
  const maxUnavailable = member(spec, "maxUnavailable");
  const count = (name: string) => asNumber(member(status, name)) ?? 0;
  return {
    name: pool.metadata.name,
    isPaused: member(spec, "paused") === true,
    maxUnavailable:
      typeof maxUnavailable === "number" || typeof maxUnavailable === "string" ? maxUnavailable : undefined,
    nodeSelector: member(spec, "nodeSelector"),
    machineConfigSelector: member(spec, "machineConfigSelector"),
    target: readConfiguration(spec),
    current: readConfiguration(status),
    hasStatus: isMap(status),
    isBehind: isBehind(pool),
    machines: {
      all: count("machineCount"),
      updated: count("updatedMachineCount"),
      ready: count("readyMachineCount"),
      unavailable: count("unavailableMachineCount"),
      degraded: count("degradedMachineCount"),
    },
    conditions: conditionsOf(pool),
    certificates: asList(member(status, "certExpirys")).map((entry) => ({
      subject: asText(member(entry, "subject")) ?? "",
      expiry: asText(member(entry, "expiry")) ?? "",
    })),
  };
});

function readConfiguration(part: Json | undefined): PoolConfiguration {
  const sources = asList(at(part, "configuration", "source"));
  return {
    name: asText(at(part, "configuration", "name")),
    sources: sources.map((source) => asText(member(source, "name")) ?? ""),
  };
}
