// The shape of a planted fault, and helpers to plant, detect and remove causes.

import type { findingCatalogue } from "@virt/impact";
import { asList, asText, at, type JsonMap, type KubeObject, member } from "@virt/objects";
import type { Scenario, VmGroup } from "../scenario.ts";
import { scenarios } from "../scenarios.ts";
import { threeWorkers } from "../standard-scenarios.ts";
import { conditionOf, type InMemorySimulation, mergePatch, objectsOf } from "./in-memory-simulation.ts";

export type PlantedFault = {
  readonly id: keyof typeof findingCatalogue;
  readonly by?: string;
  readonly scenario?: Scenario;
  readonly change?: KubeObject;
  readonly plant?: (simulation: InMemorySimulation) => void;
  /** Reports whether the cause is visible. Called for every state. */
  readonly isThere: (simulation: InMemorySimulation) => boolean;
  /** The seconds from when the cause is visible until the finding is reported. */
  readonly age: number;
  readonly severity: "blocking" | "warning" | "info";
  /** Other blocking findings that always occur together with this one. */
  readonly beside?: readonly (keyof typeof findingCatalogue)[];
  readonly end: (simulation: InMemorySimulation) => void;
  /** The seconds after the cause is removed until the finding clears. Default: 10. */
  readonly lingers?: number;
};

export const machine = (more: Partial<VmGroup> = {}): VmGroup => ({
  name: "vm",
  namespace: "vms",
  count: 1,
  memoryGiB: [8],
  nodes: ["worker-0"],
  ...more,
});

export function scenarioOf(name: string): Scenario {
  const scenario = scenarios.get(name);
  if (scenario === undefined) throw new Error(`no scenario ${name}`);
  return scenario;
}

export const small: Scenario = { ...threeWorkers, vms: [machine()] };

export const machineConfig = (name: string, role: string, spec: JsonMap): KubeObject => ({
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfig",
  metadata: { name, labels: { "machineconfiguration.openshift.io/role": role } },
  spec,
});

export const psi = machineConfig("99-worker-psi-karg", "worker", { kernelArguments: ["psi=1"] });

export const kubeletConfig = (name: string, settings: JsonMap): KubeObject => ({
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "KubeletConfig",
  metadata: { name },
  spec: {
    machineConfigPoolSelector: { matchLabels: { "pools.operator.machineconfiguration.openshift.io/worker": "" } },
    kubeletConfig: settings,
  },
});

export const keys = {
  pool: "MachineConfigPool/worker",
  node: "Node/worker-0",
  machine: "VirtualMachineInstance/vms/vm-0",
  kubevirt: "KubeVirt/openshift-cnv/kubevirt-kubevirt-hyperconverged",
  hco: "HyperConverged/openshift-cnv/kubevirt-hyperconverged",
} as const;

export const edit = (key: string, patch: JsonMap) => (simulation: InMemorySimulation) => {
  const live = simulation.objects.get(key);
  if (live === undefined) throw new Error(`no ${key}`);
  const after = mergePatch(live, patch) as KubeObject;
  const generation = (live.metadata.generation ?? 1) + (patch["spec"] === undefined ? 0 : 1);
  simulation.objects.set(key, { ...after, metadata: { ...after.metadata, generation } });
};

export const fault = (key: string, annotation: string, value: string | null = "") =>
  edit(key, { metadata: { annotations: { [`simulator.kubevirt.io/${annotation}`]: value } } });

/** Plants a fault by setting an annotation. Removing the annotation ends the fault. */
export const annotated = (key: string, annotation: string, value = "") => ({
  plant: fault(key, annotation, value),
  end: fault(key, annotation, null),
});

export const create = (object: KubeObject) => (simulation: InMemorySimulation) => simulation.addObject(object);

export const remove = (key: string) => (simulation: InMemorySimulation) => {
  simulation.objects.delete(key);
};

export const stopMachine = (simulation: InMemorySimulation) => {
  edit("VirtualMachine/vms/vm-0", { spec: { runStrategy: "Halted" } })(simulation);
};

/** The seconds until the operator reports the result of a drain attempt. */
export const attempt = 100;
/** Like `attempt`, but 10 minutes into a drain, when attempts are less frequent. */
export const nextAttempt = 300 + attempt;

export const always = () => true;

export const isRendered = ({ objects }: InMemorySimulation) =>
  asList(at(objects.get(keys.pool), "spec", "configuration", "source")).some(
    (source) => member(source, "name") === psi.metadata.name,
  );

const noteOf = ({ objects }: InMemorySimulation, node: string, name: string) =>
  objects.get(`Node/${node}`)?.metadata.annotations?.[`machineconfiguration.openshift.io/${name}`] ?? "";

export const isDraining =
  (node = "worker-0") =>
  (simulation: InMemorySimulation) => {
    const desired = noteOf(simulation, node, "desiredDrain");
    return desired.startsWith("drain-") && desired !== noteOf(simulation, node, "lastAppliedDrain");
  };

export const isUncordonOpen = (simulation: InMemorySimulation) => {
  const desired = noteOf(simulation, "worker-0", "desiredDrain");
  return desired.startsWith("uncordon-") && desired !== noteOf(simulation, "worker-0", "lastAppliedDrain");
};

export const isRebooting = (simulation: InMemorySimulation) =>
  noteOf(simulation, "worker-0", "post-config-action") === "Rebooting";

export const isDegraded = (simulation: InMemorySimulation) =>
  ["Degraded", "Unreconcilable"].includes(noteOf(simulation, "worker-0", "state"));

export const isAskedToLeave = ({ objects }: InMemorySimulation) =>
  at(objects.get(keys.machine), "status", "evacuationNodeName") === "worker-0";

export const drainSays =
  (text: string, node = "worker-0") =>
  ({ objects }: InMemorySimulation) => {
    const drained = conditionOf(objects.get(`MachineConfigNode/${node}`), "Drained");
    return (asText(member(drained, "message")) ?? "").includes(text);
  };

export const migrationsIn = (simulation: InMemorySimulation, phase: string) =>
  objectsOf(simulation, "VirtualMachineInstanceMigration").filter((each) => at(each, "status", "phase") === phase);

export const hasMigration = (phase: string) => (simulation: InMemorySimulation) =>
  migrationsIn(simulation, phase).length > 0;

export const reports =
  (key: string, type: string, status: string) =>
  ({ objects }: InMemorySimulation) =>
    member(conditionOf(objects.get(key), type), "status") === status;
