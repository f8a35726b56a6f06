// Builds a rollout in virtual time, in which three workers update from rendered-1 to rendered-2.

import type { JsonMap, KubeObject } from "@virt/api";
import { readMachineConfigNodeFact, readMigrationFact, readPodFact } from "@virt/cluster";
import { assessed } from "../../assessed.ts";
import {
  annotationPrefix,
  type ClusterGiven,
  clusterFacts,
  controlPlane,
  nodeObject,
  poolObject,
} from "../../testing/cluster-builder.ts";
import { type Diagnosis, diagnoseRollout } from "../diagnose-rollout.ts";
import { DrainErrors } from "../drain-errors.ts";
import type { DoctorFacts, RolloutChange } from "../rollout-view.ts";

export const nodeAnnotations = {
  Waiting: {},
  Draining: { desiredConfig: "rendered-2", state: "Working", desiredDrain: "drain-rendered-2" },
  Applying: {
    desiredConfig: "rendered-2",
    state: "Working",
    desiredDrain: "drain-rendered-2",
    lastAppliedDrain: "drain-rendered-2",
  },
  Rebooting: {
    desiredConfig: "rendered-2",
    state: "Working",
    desiredDrain: "drain-rendered-2",
    lastAppliedDrain: "drain-rendered-2",
    "post-config-action": "Rebooting",
  },
  Degraded: { desiredConfig: "rendered-2", state: "Degraded" },
  Uncordoning: {
    desiredConfig: "rendered-2",
    state: "Working",
    desiredDrain: "uncordon-rendered-2",
    lastAppliedDrain: "drain-rendered-2",
  },
  Done: { currentConfig: "rendered-2", desiredConfig: "rendered-2" },
} as const;

type RollingNode = Parameters<typeof nodeObject>[1] & {
  readonly reason?: string;
  readonly state?: string;
  readonly isReady?: boolean;
};

/** Returns a worker in the given phase. It is cordoned from the start of its drain until the end of the update. */
export function rollingNode(name: string, phase: keyof typeof nodeAnnotations, given: RollingNode = {}): KubeObject {
  const { reason, state, isReady = true, ...rest } = given;
  const own = { ...nodeAnnotations[phase], ...(reason && { reason }), ...(state && { state }) };
  const annotations = Object.fromEntries(
    Object.entries(own).map(([key, text]) => [`${annotationPrefix}/${key}`, text]),
  );
  const isCordoned = !["Waiting", "Done"].includes(phase);
  const node = nodeObject(name, { isCordoned, ...rest, annotations: { ...annotations, ...rest.annotations } });
  return isReady ? node : { ...node, status: { conditions: [{ type: "Ready", status: "False" }] } };
}

/** Returns the worker pool, whose target config includes the change. */
export function rollingPool(spec: JsonMap = {}, status: JsonMap = {}, generation = 2): KubeObject {
  const configuration = { name: "rendered-2", source: [{ name: "00-worker" }, { name: "99-worker-psi-karg" }] };
  const pool = poolObject("worker", { configuration, ...spec });
  const metadata = { name: "worker", generation, labels: { pool: "worker" } };
  return { ...pool, metadata, status: { observedGeneration: 2, ...status } };
}

export function reportOf(node: string, message: string, time = ""): KubeObject {
  return {
    apiVersion: `${annotationPrefix}/v1`,
    kind: "MachineConfigNode",
    metadata: { name: node },
    spec: { configVersion: { desired: "rendered-2" } },
    status: { conditions: [{ type: "Drained", status: "Unknown", message, lastTransitionTime: time }] },
  };
}

export function migrationObject(
  vm: string,
  phase: string,
  given: { readonly at?: number; readonly status?: JsonMap } = {},
): KubeObject {
  const { at = 0, status = {} } = given;
  return {
    apiVersion: "kubevirt.io/v1",
    kind: "VirtualMachineInstanceMigration",
    metadata: {
      name: `kubevirt-evacuation-${vm}-${at}`,
      namespace: "vms",
      creationTimestamp: `2026-01-01T00:00:${String(at).padStart(2, "0")}Z`,
      annotations: { "kubevirt.io/evacuationMigration": "worker-0" },
    },
    spec: { vmiName: vm },
    status: { phase, ...status },
  };
}

export type RolloutGiven = ClusterGiven & {
  readonly changes?: readonly RolloutChange[];
  readonly reports?: readonly KubeObject[];
  readonly vmims?: readonly KubeObject[];
  /** The pods on draining nodes. Absent if they were not listed. */
  readonly drainedPods?: Readonly<Record<string, readonly KubeObject[]>>;
  readonly drainErrors?: DrainErrors;
  readonly operators?: readonly KubeObject[];
  readonly areVmsNamed?: boolean;
  readonly notAssessed?: DoctorFacts["notAssessed"];
};

export const psiChange: RolloutChange = {
  machineConfig: "99-worker-psi-karg",
  operation: "Apply",
  pools: ["worker"],
  hasKubeletDropIn: false,
};

const start = Date.UTC(2026, 0, 2);

/** Returns the facts of a rollout this many seconds after its start. */
export function rolloutFacts(given: RolloutGiven, seconds: number, last?: Diagnosis): DoctorFacts {
  const {
    assessedAt: _,
    pods: _pods,
    restartSamples: _samples,
    kubeletConfigs: _kubeletConfigs,
    ...facts
  } = clusterFacts({
    pools: [poolObject("master"), rollingPool()],
    ...given,
    nodes: [...(given.nodes ?? []), ...controlPlane],
  });
  return {
    ...facts,
    now: start + seconds * 1000,
    changes: given.changes ?? [psiChange],
    machineConfigNodes: assessed((given.reports ?? []).map(readMachineConfigNodeFact)),
    migrations: assessed((given.vmims ?? []).map(readMigrationFact)),
    drainedPods: new Map(
      Object.entries(given.drainedPods ?? {}).map(([node, pods]) => [node, pods.map(readPodFact)] as const),
    ),
    drainErrors: given.drainErrors ?? new DrainErrors(),
    kubeletConfigs: given.kubeletConfigs ?? [],
    operators: given.operators ?? [],
    before: last?.rollout,
    sightings: last?.sightings ?? new Map(),
    ...(last && { ranVms: last.ranVms }),
    notAssessed: given.notAssessed ?? [],
    areVmsNamed: given.areVmsNamed ?? true,
  };
}

/** Diagnoses the clusters one after another at the given times, as a single process would. */
export function diagnoseInTurn(...worlds: readonly (readonly [number, RolloutGiven])[]): readonly Diagnosis[] {
  const all: Diagnosis[] = [];
  for (const [seconds, given] of worlds) all.push(diagnoseRollout(rolloutFacts(given, seconds, all.at(-1))));
  return all;
}
