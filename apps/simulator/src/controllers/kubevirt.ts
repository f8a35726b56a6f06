// Simulates the parts of KubeVirt that affect rollouts: evacuation of drained nodes, and migration limits.

import { at, type JsonMap, type KubeObject } from "@virt/objects";
import { type ClusterState, faultOf, simulatedMs } from "../cluster-state.ts";
import { isDraining, machinesOn, migrationObstacle, namespacedName, nodeOfMachine } from "../evictions.ts";
import { migrationSettings } from "../migration-policies.ts";
import {
  byRequestOrder,
  countFailures,
  findMachine,
  freeLanes,
  hasLane,
  isFinishedMigration,
  type MigrationLanes,
  machineNameOf,
  migrationLanes,
  migrationRequest,
  phaseWrite,
  targetNodeOf,
} from "../migrations.ts";
import type { ObjectWrite } from "../object-writes.ts";
import { memoryOf, Placement, statusPhase } from "../placement.ts";
import type { SimulatedTimers } from "../simulated-timers.ts";
import { type KubevirtContext, machineConditions, machineWrite, reconcileMachines } from "./virtual-machines.ts";

export function reconcileKubevirt(cluster: ClusterState, timers: SimulatedTimers): readonly ObjectWrite[] {
  if (cluster.servedVersion("VirtualMachineInstance") === undefined) return [];
  const round = { cluster, timers, placement: new Placement(cluster) };
  const { writes, moving } = advanceMigrations(round);
  return [
    ...writes,
    ...evacuationMigrations(cluster),
    ...surplusMigrations(cluster),
    ...reconcileMachines(round, moving),
  ];
}

// While virt-controller is down, running VMs and migrations continue, but nothing is started or cleaned up.
function isVirtControllerDown(cluster: ClusterState): boolean {
  return cluster.list("KubeVirt").some((object) => faultOf(object, "virt-controller-down") !== undefined);
}

type MigrationWrites = { readonly writes: readonly ObjectWrite[]; readonly moving: ReadonlySet<string> };

function advanceMigrations(round: KubevirtContext): MigrationWrites {
  const { cluster, placement } = round;
  const open = cluster
    .list("VirtualMachineInstanceMigration")
    .filter((migration) => !isFinishedMigration(migration))
    .toSorted(byRequestOrder);
  for (const migration of open) {
    const machine = findMachine(cluster, migration);
    const target = targetNodeOf(migration);
    if (machine !== undefined && target !== undefined) placement.reserve(target, machine);
  }
  const lanes = migrationLanes(cluster, open.filter(hasLane));
  const steps = open.map((migration) => ({ migration, writes: advanceMigration(round, lanes, migration) }));
  const moving = steps.filter(({ writes }) => writes.length > 1).map(({ migration }) => machineNameOf(migration));
  return { writes: steps.flatMap(({ writes }) => writes), moving: new Set(moving) };
}

function advanceMigration(
  round: KubevirtContext,
  lanes: MigrationLanes,
  migration: KubeObject,
): readonly ObjectWrite[] {
  const { cluster } = round;
  const machine = findMachine(cluster, migration);
  if (statusPhase(migration) === "Running" && machine !== undefined) return finishMigration(round, migration, machine);
  if (isVirtControllerDown(cluster)) return [];
  if (machine === undefined || nodeOfMachine(machine) === undefined || migrationObstacle(machine) !== undefined)
    return [phaseWrite(cluster, migration, "Failed")];
  return startMigration(round, lanes, { migration, machine });
}

type MachineMigration = { readonly migration: KubeObject; readonly machine: KubeObject };

const unschedulableMs = 300_000;

function startMigration(
  { cluster, timers, placement }: KubevirtContext,
  lanes: MigrationLanes,
  { migration, machine }: MachineMigration,
): readonly ObjectWrite[] {
  const source = nodeOfMachine(machine) ?? "";
  const held = heldCondition(cluster, migration, machine);
  if (held !== undefined) return [phaseWrite(cluster, migration, "Pending", { conditions: [held] })];
  if (!hasLane(migration) && !(isBackoffOver(cluster, timers, { migration, machine }) && lanes(source)))
    return [phaseWrite(cluster, migration, "Pending", { conditions: null })];
  const target = placement.chooseNode(machine);
  const key = `unschedulable ${namespacedName(migration)}`;
  if (target === undefined) {
    if (timers.hasElapsed(key, unschedulableMs)) return [phaseWrite(cluster, migration, "Failed")];
    const event = `vm ${namespacedName(machine)} finds no room`;
    const isReported = !hasLane(migration) && countFailures(cluster, machine) === 0;
    return [{ ...phaseWrite(cluster, migration, "Scheduling", { conditions: null }), ...(isReported && { event }) }];
  }
  const { policyName } = migrationSettings(cluster, machine);
  const migrationState = {
    sourceNode: source,
    targetNode: target,
    startTimestamp: cluster.timestamp,
    mode: "PreCopy",
    ...(policyName !== undefined && { migrationPolicyName: policyName }),
  };
  return [
    {
      ...phaseWrite(cluster, migration, "Running", { migrationState, conditions: null }),
      event: `vm ${namespacedName(machine)} moves from ${source} to ${target}`,
    },
  ];
}

const firstBackoffMs = 20_000;
const tiredAfter = 3;

// Only evacuations back off: 20 s after the first failure, then twice as long each time.
function isBackoffOver(
  cluster: ClusterState,
  timers: SimulatedTimers,
  { migration, machine }: MachineMigration,
): boolean {
  const failures = countFailures(cluster, machine);
  const isForNode = migration.metadata.annotations?.["kubevirt.io/evacuationMigration"] !== undefined;
  if (failures === 0 || !isForNode) return true;
  const ms = firstBackoffMs * 2 ** (failures - 1);
  return timers.hasElapsed(`backoff ${namespacedName(migration)}`, failures > tiredAfter ? timers.retryMs(ms) : ms);
}

const heldBy: ReadonlyMap<string, string> = new Map([
  ["quota", "migrationRejectedByResourceQuota"],
  ["backup", "migrationBlockedByBackup"],
  ["utility-volume", "migrationBlockedByUtilityVolumes"],
]);

function heldCondition(cluster: ClusterState, migration: KubeObject, machine: KubeObject): JsonMap | undefined {
  const type = heldBy.get(faultOf(machine, "migration-held") ?? "");
  if (type === undefined || hasLane(migration)) return undefined;
  const [known] = (at(migration, "status", "conditions") ?? []) as readonly JsonMap[];
  return known?.["type"] === type ? known : { type, status: "True", lastProbeTime: cluster.timestamp };
}

function finishMigration(
  { cluster, timers }: KubevirtContext,
  migration: KubeObject,
  machine: KubeObject,
): readonly ObjectWrite[] {
  const target = targetNodeOf(migration) ?? "";
  const title = namespacedName(machine);
  const failure = migrationFailure(cluster, timers, { migration, machine });
  if (failure === "running") return [];
  const end = {
    endTimestamp: cluster.timestamp,
    completed: true,
    ...(failure !== undefined && { failed: true, failureReason: failure }),
  };
  const known = at(migration, "status", "migrationState") as JsonMap;
  const migrationState = { ...known, ...end, migrationUid: migration.metadata.uid ?? "" };
  if (failure !== undefined) {
    const event = `vm ${title} could not move to ${target}: ${failure}`;
    return [
      { ...phaseWrite(cluster, migration, "Failed", { migrationState }), event },
      machineWrite(machine, { migrationState }),
    ];
  }
  const status = {
    nodeName: target,
    evacuationNodeName: null,
    migrationState,
    conditions: machineConditions(cluster, machine, target),
  };
  const arrived = {
    ...machineWrite(machine, status, { "kubevirt.io/nodeName": target }),
    event: `vm ${title} is on ${target}`,
  };
  return [phaseWrite(cluster, migration, "Succeeded", { migrationState }), arrived];
}

function migrationFailure(
  cluster: ClusterState,
  timers: SimulatedTimers,
  { migration, machine }: MachineMigration,
): string | undefined {
  const { migration: base } = cluster.scenario.durations;
  const { timeoutPerGiB, copyPerGiB } = migrationSettings(cluster, machine);
  const memory = memoryOf(machine);
  const name = `${namespacedName(machine)} ${migration.metadata.name}`;
  const limit = timeoutPerGiB * Math.max(1, memory);
  if (timers.hasElapsed(`migration timeout ${name}`, limit * 1000))
    return `Live migration is not completed after ${limit} seconds and has been aborted`;
  if (faultOf(machine, "slow-migrations") !== undefined) return "running";
  const ms = simulatedMs(cluster, { seconds: base + copyPerGiB * memory }, "migration", name);
  return timers.hasElapsed(`migration ${name}`, ms) ? faultOf(machine, "fail-migrations") : "running";
}

const keptMigrations = 5; // the number of finished migrations that KubeVirt keeps per VM

function evacuationMigrations(cluster: ClusterState): readonly ObjectWrite[] {
  if (isVirtControllerDown(cluster)) return [];
  const open = cluster.list("VirtualMachineInstanceMigration").filter((migration) => !isFinishedMigration(migration));
  const moving = new Set(open.map(machineNameOf));
  const draining = cluster.list("Node").filter((node) => isDraining(cluster, node));
  return draining.flatMap(({ metadata }) =>
    machinesOn(cluster, metadata.name)
      .filter((machine) => isLeaving(machine) && !moving.has(namespacedName(machine)))
      .slice(0, freeLanes(cluster, open, metadata.name))
      .map((machine) => migrationRequest(cluster, machine, "kubevirt-evacuation")),
  );
}

// A VM with eviction strategy External is moved by its own controller.
function isLeaving(machine: KubeObject): boolean {
  const isMarked = at(machine, "status", "evacuationNodeName") === nodeOfMachine(machine);
  const isOthers = at(machine, "spec", "evictionStrategy") === "External";
  return isMarked && !isOthers && migrationObstacle(machine) === undefined;
}

function surplusMigrations(cluster: ClusterState): readonly ObjectWrite[] {
  const finished = cluster.list("VirtualMachineInstanceMigration").filter(isFinishedMigration);
  const old = [...Map.groupBy(finished, machineNameOf).values()].flatMap((each) =>
    each.length <= keptMigrations ? [] : each.toSorted(byRequestOrder).slice(0, each.length - keptMigrations),
  );
  return old.map((object) => ({ kind: "delete", object, manager: "virt-controller" }));
}
