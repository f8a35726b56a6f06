// Reads MachineConfigPools and the KubeletConfigs that select them: the nodes of a pool, their target and their
// progress.

import {
  asList,
  asNumber,
  asText,
  at,
  entriesOf,
  type InformerSpec,
  isMap,
  type Json,
  type KubeObject,
  matchesSelector,
  member,
  oncePer,
} from "@virt/objects";
import { conditionsOf, isBehind, type ObjectCondition } from "../health/conditions.ts";
import { keepConditions } from "../informers.ts";

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

/** A pool. `kernelArguments` are those in its current config, and undefined until they are read. */
export type PoolFact = {
  readonly labels: Readonly<Record<string, string>>;
  readonly kernelArguments: readonly string[] | undefined;
};

/**
 * Returns the pool of a node by the rules of the Machine Config Operator: master first, then a custom pool, then
 * worker. Returns undefined for Windows nodes and for nodes that match several custom pools.
 */
export function poolOfNode(labels: Readonly<Record<string, string>>, pools: readonly KubeObject[]): string | undefined {
  if (labels["kubernetes.io/os"] === "windows") return undefined;
  const names = selectorsOf(pools).flatMap(({ name, selector }) => (matchesSelector(selector, labels) ? [name] : []));
  const custom = names.filter((name) => name !== "master" && name !== "worker");
  if (custom.length > 1) return undefined;
  if (names.includes("master")) return "master";
  return custom[0] ?? names.find((name) => name === "worker");
}

// Memoized, because callers look up hundreds of nodes with the same pools.
const selectorsOf = oncePer((pools: readonly KubeObject[]) =>
  pools.flatMap((pool) => {
    const selector = readMachineConfigPool(pool).nodeSelector;
    return isEmptySelector(selector) ? [] : [{ name: pool.metadata.name, selector }];
  }),
);

/**
 * Reports whether a selector is empty. In Kubernetes, an empty selector selects everything, but in a pool, it selects
 * nothing.
 */
export function isEmptySelector(selector: Json | undefined): boolean {
  const wanted = member(selector, "matchLabels");
  const isUnlabelled = !isMap(wanted) || entriesOf(wanted).length === 0;
  return isUnlabelled && asList(member(selector, "matchExpressions")).length === 0;
}

type PoolConfigQuery = {
  readonly pool: string;
  /** The pool. Undefined if it does not exist, in which case its default labels are assumed. */
  readonly fact: PoolFact | undefined;
  /** All KubeletConfigs, with `spec.machineConfigPoolSelector`. */
  readonly configs: readonly KubeObject[];
  /** The name of our own object, which does not count as foreign. */
  readonly own: string;
};

/** The MachineConfigPool fields that `foreignPoolConfig` reads. */
export const poolRuleParts: readonly (readonly string[])[] = [["spec", "machineConfigPoolSelector"]];

/**
 * Returns the first KubeletConfig of another client that selects the pool. If several select it, the operator silently
 * uses only the last one.
 */
export function foreignPoolConfig({ pool, fact, configs, own }: PoolConfigQuery): string | undefined {
  const labels = fact?.labels ?? {
    [`pools.operator.machineconfiguration.openshift.io/${pool}`]: "",
    "machineconfiguration.openshift.io/mco-built-in": "",
  };
  return configs
    .filter((config) => matchesSelector(readKubeletConfig(config).poolSelector, labels))
    .map(({ metadata }) => metadata.name)
    .filter((name) => name !== own)
    .toSorted()[0];
}

/** All KubeletConfigs, without their settings. `isAutoSized` is therefore always false. */
export const kubeletConfigInformer: InformerSpec = {
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "KubeletConfig",
  projection: {
    keep: "members",
    members: [
      ["metadata", "name"],
      ["spec", "machineConfigPoolSelector"],
      ...keepConditions(["Accepted", "Failure", "Success"], ["type", "status", "message"]),
    ],
  },
};

export type KubeletConfig = {
  readonly poolSelector: Json | undefined;
  /** True if each node reserves resources according to its size. */
  readonly isAutoSized: boolean;
  /** All conditions in order, including incomplete ones. Absent strings are empty. */
  readonly conditions: readonly Pick<ObjectCondition, "type" | "status" | "message">[];
};

/** Reads a KubeletConfig of any shape. */
export function readKubeletConfig(object: KubeObject): KubeletConfig {
  const spec = member(object, "spec");
  return {
    poolSelector: member(spec, "machineConfigPoolSelector"),
    isAutoSized: member(spec, "autoSizingReserved") === true,
    conditions: asList(at(object, "status", "conditions")).map((condition) => {
      const text = (key: string) => asText(member(condition, key)) ?? "";
      return { type: text("type"), status: text("status"), message: text("message") };
    }),
  };
}
