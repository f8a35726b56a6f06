// Builds API objects and facts from them, for tests of the impact.

import type { Json, JsonMap, KubeObject } from "@virt/api";
import {
  readBudgetFact,
  readClusterShape,
  readNodeFact,
  readPodFact,
  readVirtSettings,
  readVmFact,
} from "@virt/cluster";
import { assessed, disruptionOf, type ImpactFacts, type MachineConfigWrite, readDisruptionPolicies } from "../index.ts";

export const annotationPrefix = "machineconfiguration.openshift.io";
const created = "2026-01-01T00:00:00Z";

type NodeGiven = {
  readonly roles?: readonly string[];
  readonly zone?: string;
  readonly memory?: string;
  readonly isCordoned?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly taints?: readonly JsonMap[];
};

/** Returns a ready node that runs its pool's target config. */
export function nodeObject(name: string, given: NodeGiven = {}): KubeObject {
  const { roles = ["worker"], zone, memory = "240Gi", isCordoned = false, labels, annotations, taints = [] } = given;
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      creationTimestamp: created,
      labels: {
        ...Object.fromEntries(roles.map((role) => [`node-role.kubernetes.io/${role}`, ""])),
        ...(roles.includes("worker") && { "kubevirt.io/schedulable": "true" }),
        "kubernetes.io/hostname": name,
        ...(zone !== undefined && { "topology.kubernetes.io/zone": zone }),
        ...labels,
      },
      annotations: {
        [`${annotationPrefix}/currentConfig`]: "rendered-1",
        [`${annotationPrefix}/desiredConfig`]: "rendered-1",
        [`${annotationPrefix}/state`]: "Done",
        ...annotations,
      },
    },
    spec: { ...(isCordoned && { unschedulable: true }), taints },
    status: {
      allocatable: { memory },
      conditions: [
        { type: "Ready", status: "True" },
        { type: "DiskPressure", status: "False" },
        { type: "NetworkUnavailable", status: "False" },
      ],
    },
  };
}

export function workers(count: number, prefix = "worker-", given: NodeGiven = {}): readonly KubeObject[] {
  return Array.from({ length: count }, (_, at) => nodeObject(`${prefix}${at}`, given));
}

/** A pool whose target is the configuration of its nodes. A custom pool inherits from worker. */
export function poolObject(name: string, spec: JsonMap = {}): KubeObject {
  const roles = name === "master" || name === "worker" ? [name] : ["worker", name];
  return {
    apiVersion: `${annotationPrefix}/v1`,
    kind: "MachineConfigPool",
    metadata: { name },
    spec: {
      nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: "" } },
      machineConfigSelector: { matchExpressions: [{ key: `${annotationPrefix}/role`, operator: "In", values: roles }] },
      configuration: { name: "rendered-1" },
      ...spec,
    },
  };
}

export type VmGiven = {
  readonly gib?: number;
  readonly vcpus?: number;
  /** The eviction strategy. Null if it is not set on the VM. */
  readonly strategy?: string | null;
  /** The status of condition LiveMigratable. Null if there is no condition. */
  readonly isMigratable?: boolean | null;
  readonly reason?: string;
  /** The run strategy of the VirtualMachine, or another owner kind. Null if the VM has no owner. */
  readonly owner?: string | null;
  readonly grace?: number;
  readonly phase?: string;
  readonly spec?: JsonMap;
  readonly status?: JsonMap;
  readonly metadata?: JsonMap;
};

/** Returns a VirtualMachineInstance with 8 GiB, 2 vCPUs, strategy LiveMigrate, run strategy Always and a grace period of 30 s. */
export function vmObject(name: string, node: string, given: VmGiven = {}): KubeObject {
  const { gib = 8, vcpus = 2, strategy = "LiveMigrate", isMigratable = true, owner = "Always" } = given;
  const { grace = 30, phase = "Running", reason = "DisksNotLiveMigratable" } = given;
  const kind = owner === "VirtualMachineInstanceReplicaSet" ? owner : "VirtualMachine";
  const condition = {
    type: "LiveMigratable",
    status: isMigratable ? "True" : "False",
    ...(!isMigratable && { reason }),
  };
  return {
    apiVersion: "kubevirt.io/v1",
    kind: "VirtualMachineInstance",
    metadata: {
      name,
      namespace: "vms",
      ...(owner !== null && { ownerReferences: [{ kind, name, controller: true }] }),
      annotations: { "test/run-strategy": owner ?? "" },
      ...given.metadata,
    },
    spec: {
      ...(strategy !== null && { evictionStrategy: strategy }),
      terminationGracePeriodSeconds: grace,
      domain: { memory: { guest: `${gib}Gi` }, cpu: { sockets: vcpus, cores: 1, threads: 1 } },
      ...given.spec,
    },
    status: { phase, nodeName: node, ...(isMigratable !== null && { conditions: [condition] }), ...given.status },
  };
}

export function vmsOn(nodes: readonly string[], count: number, given: VmGiven = {}): readonly KubeObject[] {
  return nodes.flatMap((node) => Array.from({ length: count }, (_, at) => vmObject(`${node}-vm-${at}`, node, given)));
}

export const namesOf = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata.name);

export function psiConfig(role = "worker"): KubeObject {
  return {
    apiVersion: `${annotationPrefix}/v1`,
    kind: "MachineConfig",
    metadata: { name: `99-${role}-psi-karg`, labels: { [`${annotationPrefix}/role`]: role } },
    spec: { kernelArguments: ["psi=1"] },
  };
}

export function policyObject(
  files: Readonly<Record<string, readonly string[]>>,
  units: Readonly<Record<string, readonly string[]>> = {},
  sshKey?: readonly string[],
): KubeObject {
  const actions = (types: readonly string[]): Json => types.map((type) => ({ type }));
  return {
    apiVersion: "operator.openshift.io/v1",
    kind: "MachineConfiguration",
    metadata: { name: "cluster" },
    status: {
      nodeDisruptionPolicyStatus: {
        clusterPolicies: {
          files: Object.entries(files).map(([path, types]) => ({ path, actions: actions(types) })),
          units: Object.entries(units).map(([name, types]) => ({ name, actions: actions(types) })),
          ...(sshKey && { sshkey: { actions: actions(sshKey) } }),
        },
      },
    },
  };
}

export type ClusterGiven = {
  readonly nodes?: readonly KubeObject[];
  readonly pools?: readonly KubeObject[];
  readonly vms?: readonly KubeObject[];
  readonly pods?: Readonly<Record<string, readonly KubeObject[]>>;
  readonly budgets?: readonly KubeObject[];
  readonly kubeletConfigs?: readonly KubeObject[];
  readonly writes?: readonly MachineConfigWrite[];
  readonly policies?: KubeObject;
  readonly topology?: string;
  readonly platform?: string;
  readonly migrations?: JsonMap;
  readonly rendered?: Readonly<Record<string, KubeObject>>;
  readonly restartSamples?: Readonly<Record<string, readonly number[]>>;
};

/** A bare metal cluster whose KubeVirt live-migrates. The default plan sets a kernel argument on workers. */
export function clusterFacts(given: ClusterGiven = {}): ImpactFacts {
  const { nodes = [], vms = [], pods = {}, budgets = [], topology = "HighlyAvailable", platform = "BareMetal" } = given;
  const { pools = [poolObject("master"), poolObject("worker")], writes = [{ before: undefined, after: psiConfig() }] } =
    given;
  const policies = assessed(readDisruptionPolicies(given.policies));
  const kubevirt = { spec: { configuration: { evictionStrategy: "LiveMigrate", migrations: given.migrations ?? {} } } };
  const infrastructure = { status: { controlPlaneTopology: topology, platformStatus: { type: platform } } };
  const strategies = vms.flatMap(({ metadata }) => {
    const strategy = metadata.annotations?.["test/run-strategy"];
    return strategy ? [[`${metadata.namespace}/${metadata.name}`, strategy] as const] : [];
  });
  return {
    assessedAt: created,
    disruption: disruptionOf(writes, pools, policies),
    pools,
    nodes: assessed(nodes.map(readNodeFact)),
    policies,
    renderedOf: (name) => given.rendered?.[name],
    shape: assessed(readClusterShape(named("Infrastructure", infrastructure))),
    settings: assessed(readVirtSettings(named("KubeVirt", kubevirt), undefined)),
    vms: assessed(vms.map(readVmFact)),
    runStrategies: assessed(new Map(strategies)),
    budgets: assessed(budgets.map(readBudgetFact)),
    kubeletConfigs: assessed(given.kubeletConfigs ?? []),
    pods: assessed(new Map(namesOf(nodes).map((name) => [name, (pods[name] ?? []).map(readPodFact)]))),
    restartSamples: new Map(Object.entries(given.restartSamples ?? {})),
  };
}

function named(kind: string, content: JsonMap): KubeObject {
  return { apiVersion: "v1", kind, metadata: { name: "cluster" }, ...content };
}

export const controlPlane = ["control-0", "control-1", "control-2"].map((name) =>
  nodeObject(name, { roles: ["master"] }),
);
