// What a row of the table of planted faults says, and how causes are set, seen and taken away in a simulated cluster.

import { asList, asText, at, isMap, type JsonMap, type KubeObject, member } from "@virt/engine";
import type { findingCatalogue } from "@virt/impact";
import type { Scenario, VmGroup } from "../scenario.ts";
import { threeWorkers } from "../standard-scenarios.ts";
import { type InMemorySimulation, mergePatch } from "./in-memory-simulation.ts";

export type PlantedFault = {
  readonly id: keyof typeof findingCatalogue;
  /** Which of several causes, where a finding has them. */
  readonly by?: string;
  readonly scenario?: Scenario;
  readonly change?: KubeObject;
  /** Right before the rollout begins. */
  readonly plant?: (simulation: InMemorySimulation) => void;
  /** Whether the cause can be seen by now; asked of every state. */
  readonly isThere: (simulation: InMemorySimulation) => boolean;
  /** Seconds from then on until it is reported. */
  readonly age: number;
  readonly severity: "blocking" | "warning" | "info";
  /** Blocking ones that cannot be without it, or it without them. */
  readonly beside?: readonly (keyof typeof findingCatalogue)[];
  readonly end: (simulation: InMemorySimulation) => void;
  /** Seconds until those around show that the cause is gone; 10 if not given. */
  readonly lingers?: number;
};

/** One machine on worker-0. */
export const machine = (more: Partial<VmGroup> = {}): VmGroup => ({
  name: "vm",
  namespace: "vms",
  count: 1,
  memoryGiB: [8],
  nodes: ["worker-0"],
  ...more,
});

export const small: Scenario = { ...threeWorkers, vms: [machine()] };

export const psi: KubeObject = {
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfig",
  metadata: { name: "99-worker-psi-karg", labels: { "machineconfiguration.openshift.io/role": "worker" } },
  spec: { kernelArguments: ["psi=1"] },
};

export const keys = {
  pool: "MachineConfigPool/worker",
  node: "Node/worker-0",
  machine: "VirtualMachineInstance/vms/vm-0",
  kubevirt: "KubeVirt/openshift-cnv/kubevirt-kubevirt-hyperconverged",
  hco: "HyperConverged/openshift-cnv/kubevirt-hyperconverged",
} as const;

/** A merge patch, as somebody in the cluster sends it. */
export const edit = (key: string, patch: JsonMap) => (simulation: InMemorySimulation) => {
  const live = simulation.objects.get(key);
  if (live === undefined) throw new Error(`no ${key}`);
  const after = mergePatch(live, patch) as KubeObject;
  const generation = (live.metadata.generation ?? 1) + (patch["spec"] === undefined ? 0 : 1);
  simulation.objects.set(key, { ...after, metadata: { ...after.metadata, generation } });
};

/** A fault of the simulator; null ends it. */
export const fault = (key: string, annotation: string, value: string | null = "") =>
  edit(key, { metadata: { annotations: { [`simulator.kubevirt.io/${annotation}`]: value } } });

export const create = (object: KubeObject) => (simulation: InMemorySimulation) => simulation.addObject(object);

export const remove = (key: string) => (simulation: InMemorySimulation) => {
  simulation.objects.delete(key);
};

/** Stopped by the one who owns it, and not started again. */
export const stopMachine = (simulation: InMemorySimulation) => {
  edit("VirtualMachine/vms/vm-0", { spec: { runStrategy: "Halted" } })(simulation);
};

/** Seconds until the operator reports on an attempt to drain that has just begun, or could have. */
export const attempt = 100;
/** The same after a wait for the next attempt, ten minutes into a drain. */
export const nextAttempt = 300 + attempt;

export const always = () => true;

/** The pool aims at a configuration with the change, and its nodes have yet to follow. */
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

/** Worker-0 is back, and its daemon waits for the uncordon. */
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

/** The report on the drain says so. */
export const drainSays =
  (text: string, node = "worker-0") =>
  ({ objects }: InMemorySimulation) => {
    const conditions = asList(at(objects.get(`MachineConfigNode/${node}`), "status", "conditions"));
    const drained = conditions.find((condition) => member(condition, "type") === "Drained");
    return (asText(member(drained, "message")) ?? "").includes(text);
  };

export const migrationsIn = ({ objects }: InMemorySimulation, phase: string) =>
  [...objects.values()].filter(
    (object) => object.kind === "VirtualMachineInstanceMigration" && at(object, "status", "phase") === phase,
  );

export const hasMigration = (phase: string) => (simulation: InMemorySimulation) =>
  migrationsIn(simulation, phase).length > 0;

/** The object reports a condition of this type. */
export const reports =
  (key: string, type: string, status: string) =>
  ({ objects }: InMemorySimulation) =>
    asList(at(objects.get(key), "status", "conditions")).some(
      (condition) => isMap(condition) && condition["type"] === type && condition["status"] === status,
    );
