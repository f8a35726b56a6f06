// A planted fault for each finding about drains: VMs, migrations and pods.

import { at, type KubeObject } from "@virt/objects";
import type { Scenario, VmGroup } from "../scenario.ts";
import type { InMemorySimulation } from "./in-memory-simulation.ts";
import {
  annotated,
  drainSays,
  edit,
  fault,
  hasMigration,
  isAskedToLeave,
  isDraining,
  keys,
  machine,
  migrationsIn,
  nextAttempt,
  type PlantedFault,
  remove,
  scenarioOf,
  small,
  stopMachine,
} from "./planted-faults.ts";

const withMachine = (more: Partial<VmGroup>): Scenario => ({ ...small, vms: [machine(more)] });

const podsOf = (...names: readonly string[]): Scenario => {
  const budgets = scenarioOf("budgets");
  const objects = budgets.objects.filter(({ metadata }) => names.includes(metadata.name));
  return { ...budgets, vms: [], objects };
};

/** More VMs than can migrate in parallel, all blocked for the same reason. */
const heldMachines = [0, 1, 2, 3].map((index) => `VirtualMachineInstance/vms/vm-${index}`);
const holdMigrations = (value: string | null) => (simulation: InMemorySimulation) => {
  for (const key of heldMachines) fault(key, "migration-held", value)(simulation);
};

const held = (value: string, condition: string, severity: "blocking" | "warning"): PlantedFault => ({
  id: "MigrationHeld",
  by: value,
  scenario: withMachine({ count: heldMachines.length }),
  plant: holdMigrations(value),
  isThere: (simulation) => migrationsIn(simulation, "Pending").some((each) => JSON.stringify(each).includes(condition)),
  age: 120,
  severity,
  end: holdMigrations(null),
});

const addWorker = (name: string) => (simulation: { readonly objects: Map<string, KubeObject> }) => {
  const model = simulation.objects.get(keys.node);
  const { metadata, status = {}, ...node } = model as KubeObject & { readonly status?: object };
  const { annotations: _annotations, labels, ...rest } = metadata;
  const own = { ...rest, name, labels: { ...labels, "kubernetes.io/hostname": name } };
  simulation.objects.set(`Node/${name}`, { ...node, spec: {}, metadata: own, status } as KubeObject);
};

const slowCopies: Scenario = {
  ...scenarioOf("starved-lanes"),
  vms: [{ ...machine({ name: "many", count: 12 }), nodes: [0, 1, 2, 3, 4, 5].map((index) => `worker-${index}`) }],
  durations: { ...small.durations, migrationPerGiB: 85 },
};

export const drainFaults: readonly PlantedFault[] = [
  {
    id: "VMNotMigratable",
    plant: fault(keys.machine, "unmigratable", "DisksNotLiveMigratable"),
    isThere: isDraining(),
    age: 120,
    severity: "blocking",
    end: stopMachine,
  },
  {
    id: "VMNoTarget",
    scenario: withMachine({ nodeSelector: { "kubernetes.io/hostname": "worker-0" } }),
    isThere: isDraining(),
    age: 120,
    severity: "blocking",
    end: stopMachine,
  },
  {
    id: "ExternalEviction",
    scenario: withMachine({ evictionStrategy: "External" }),
    isThere: isAskedToLeave,
    age: 300,
    severity: "blocking",
    end: stopMachine,
  },
  {
    id: "EvacuationNotStarted",
    ...annotated(keys.kubevirt, "virt-controller-down"),
    isThere: isAskedToLeave,
    age: 120,
    severity: "blocking",
  },
  {
    id: "EvictionWebhookDown",
    ...annotated(keys.kubevirt, "virt-api-down"),
    isThere: drainSays("failed calling webhook"),
    age: 120,
    severity: "blocking",
    lingers: nextAttempt,
  },
  {
    id: "MigrationsQueued",
    scenario: slowCopies,
    isThere: hasMigration("Pending"),
    age: 600,
    severity: "info",
    end: edit(keys.hco, {
      spec: { liveMigrationConfig: { parallelMigrationsPerCluster: 100, parallelOutboundMigrationsPerNode: 100 } },
    }),
  },
  {
    id: "LanesTaken",
    scenario: scenarioOf("starved-lanes"),
    isThere: (simulation) => migrationsIn(simulation, "Scheduling").length === 5,
    age: 300,
    severity: "warning",
    beside: ["MigrationUnschedulable", "MigrationFailing"],
    end: (simulation) => {
      for (const index of [6, 7, 8, 9, 10, 11]) addWorker(`worker-${index}`)(simulation);
    },
    // the VMs are retried one after another
    lingers: 900,
  },
  {
    id: "MigrationUnschedulable",
    by: "for a while",
    scenario: scenarioOf("no-room"),
    isThere: hasMigration("Scheduling"),
    age: 120,
    severity: "warning",
    end: addWorker("worker-3"),
    lingers: 60,
  },
  {
    id: "MigrationUnschedulable",
    by: "for long",
    scenario: scenarioOf("no-room"),
    isThere: hasMigration("Scheduling"),
    age: 300,
    severity: "blocking",
    end: addWorker("worker-3"),
    lingers: 60,
  },
  {
    id: "MigrationFailing",
    ...annotated(keys.machine, "fail-migrations", "no route to host"),
    isThere: (simulation) => migrationsIn(simulation, "Failed").length >= 3,
    age: 0,
    severity: "blocking",
    lingers: 600,
  },
  {
    id: "MigrationSlow",
    ...annotated(keys.machine, "slow-migrations"),
    isThere: hasMigration("Running"),
    age: 0.8 * 150 * 8,
    severity: "warning",
    lingers: 60,
  },
  held("quota", "migrationRejectedByResourceQuota", "blocking"),
  held("backup", "migrationBlockedByBackup", "warning"),
  held("utility-volume", "migrationBlockedByUtilityVolumes", "warning"),
  {
    id: "PodBudget",
    scenario: podsOf("protected"),
    isThere: isDraining("worker-1"),
    age: 300,
    severity: "blocking",
    end: remove("PodDisruptionBudget/apps/protected"),
  },
  {
    id: "TwoBudgets",
    scenario: podsOf("twice", "first", "second"),
    isThere: isDraining("worker-1"),
    age: 300,
    severity: "blocking",
    end: (simulation) => {
      remove("PodDisruptionBudget/apps/first")(simulation);
      remove("PodDisruptionBudget/apps/second")(simulation);
    },
  },
  {
    id: "PodTerminating",
    scenario: podsOf("bare"),
    ...annotated("Pod/apps/bare", "never-ends"),
    isThere: ({ objects }) => at(objects.get("Pod/apps/bare"), "metadata", "deletionTimestamp") !== undefined,
    age: 600,
    severity: "blocking",
    lingers: 20,
  },
  {
    id: "DrainSlow",
    ...annotated(keys.node, "stuck-drain"),
    isThere: isDraining(),
    age: 900,
    severity: "blocking",
    lingers: nextAttempt,
  },
];
