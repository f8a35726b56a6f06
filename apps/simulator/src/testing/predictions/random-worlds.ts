// Generates random clusters in which every rollout ends: pools, nodes, VMs, limits and durations.

import type { NodeUpdate } from "@virt/impact";
import type { Durations, Scenario, VmGroup } from "../../scenario.ts";
import { seededRandom } from "../../seeded-random.ts";
import { threeWorkers } from "../../standard-scenarios.ts";

export type RandomWorld = {
  readonly seed: number;
  readonly scenario: Scenario;
  readonly role: "worker" | "master";
  readonly class: Exclude<NodeUpdate["disruption"], "None">;
};

/** Generates a cluster without VMs that block a drain forever or wait for a user, because such waits cannot be predicted. */
export function randomWorld(seed: number): RandomWorld {
  const dice = new Dice(seed);
  const isCompact = dice.isBelow("compact", 0.1);
  const disruption = dice.pick("class", [...Array<"Reboot">(8).fill("Reboot"), "Drain", "Reload"] as const);
  const workers = isCompact ? 3 : dice.whole("workers", 3, 8);
  const infra = !isCompact && dice.isBelow("infra", 0.2) ? dice.whole("infra nodes", 2, 4) : 0;
  const migrations = limitsOf(dice);
  const machines = machinesOf(dice);
  const vms = vmGroups(dice, workers + infra);
  const size = {
    cpus: 64,
    memoryGiB: memoryOfNode(dice, vms, workers + infra),
    ...(dice.isBelow("zones", 0.5) && { zones: ["a", "b", "c"].slice(0, dice.whole("zone", 1, 3)) }),
  };
  const group = (name: string, count: number, roles: readonly string[]) => ({ name, count, roles, ...size });
  const controlPlane = { name: "master", count: 3, roles: ["master", "control-plane"], cpus: 8, memoryGiB: 32 };
  return {
    seed,
    role: isCompact ? "master" : "worker",
    class: disruption,
    scenario: {
      ...threeWorkers,
      about: `random world ${seed}`,
      platform: machines.platform,
      mastersSchedulable: isCompact,
      nodes: isCompact
        ? [group("node", workers, ["master", "control-plane", "worker"])]
        : [
            controlPlane,
            group("worker", workers, ["worker"]),
            ...(infra > 0 ? [group("infra", infra, ["worker", "infra"])] : []),
          ],
      pools: [
        { name: "master" },
        { name: "worker", maxUnavailable: dice.pick("limit", [1, 1, 1, 1, 2, 3, "25%", "40%"]) },
        ...(infra > 0 ? [{ name: "infra" }] : []),
      ],
      vms,
      hco: { namespace: "openshift-cnv", liveMigrationConfig: migrations.config },
      nodeDisruptionPolicy: policyOf(disruption),
      durations: durationsOf(dice, disruption, { reboot: machines.reboot, leastPerGiB: migrations.leastPerGiB }),
    },
  };
}

class Dice {
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  between(what: string, least: number, most: number): number {
    return least + (most - least) * seededRandom(this.#seed, "world", what);
  }

  whole(what: string, least: number, most: number): number {
    return Math.floor(this.between(what, least, most + 1));
  }

  isBelow(what: string, share: number): boolean {
    return this.between(what, 0, 1) < share;
  }

  pick<const T>(what: string, among: readonly T[]): T {
    return among[this.whole(what, 0, among.length - 1)] as T;
  }
}

const sizes = [[1], [2, 4], [4, 8], [8], [16, 32], [1, 2, 4, 8, 16], [64]];

// Generates VMs that leave a node without user action: by migration, shutdown or restart.
function vmGroups(dice: Dice, nodes: number): readonly VmGroup[] {
  return Array.from({ length: dice.whole("groups", 0, 4) }, (_, at): VmGroup => {
    const count = dice.whole(`count ${at}`, 1, nodes * 2);
    const kind = dice.pick(`kind ${at}`, ["migrates", "migrates", "migrates", "ends", "may migrate", "cannot migrate"]);
    return {
      name: `vm-${at}`,
      namespace: "vms",
      count,
      memoryGiB: dice.pick(`size ${at}`, sizes),
      gracePeriodSeconds: dice.pick(`grace ${at}`, [10, 30, 30, 60, 180]),
      runStrategy: dice.pick(`run strategy ${at}`, ["Always", "Always", "RerunOnFailure", "Manual"]),
      ...(kind === "ends" && { evictionStrategy: "None" }),
      ...((kind === "may migrate" || kind === "cannot migrate") && { evictionStrategy: "LiveMigrateIfPossible" }),
      ...(kind === "cannot migrate" && { unmigratable: "HostDeviceNotLiveMigratable" }),
    };
  });
}

// Ranges from plenty of memory to just enough while two nodes are down.
function memoryOfNode(dice: Dice, vms: readonly VmGroup[], nodes: number): number {
  const memory = vms.flatMap(({ count, memoryGiB }) =>
    Array.from({ length: count }, (_, at) => (memoryGiB[at % memoryGiB.length] ?? 1) + 0.4),
  );
  const all = memory.reduce((sum, each) => sum + each, 0);
  const largest = memory.reduce((most, each) => Math.max(most, each), 1);
  return Math.ceil((all / Math.max(1, nodes - 2)) * dice.between("room", 1, 2) * 1.2 + 2 * largest + 8);
}

function limitsOf(dice: Dice) {
  const isLimited = dice.isBelow("bandwidth", 0.25);
  const perSecond = dice.pick("bandwidth limit", [64, 128, 256, 512]);
  return {
    leastPerGiB: isLimited ? 1024 / perSecond : 0,
    config: {
      parallelMigrationsPerCluster: dice.pick("lanes", [2, 5, 5, 5, 10]),
      parallelOutboundMigrationsPerNode: dice.pick("lanes of a node", [1, 2, 2, 2, 5]),
      ...(isLimited && { bandwidthPerMigration: `${perSecond}Mi` }),
    },
  };
}

// A quarter of the clusters reboot slower or faster than the defaults assume. The first prediction may be wrong, the
// second may not.
function machinesOf(dice: Dice): { readonly platform: string; readonly reboot: number } {
  const platform = dice.pick("platform", ["BareMetal", "None", "AWS", "VSphere"]);
  const [least, most] = platform === "BareMetal" || platform === "None" ? [735, 1440] : [360, 690];
  const isUsual = dice.isBelow("usual machines", 0.75);
  return { platform, reboot: isUsual ? dice.between("reboot", least, most) : dice.between("reboot", 150, 2400) };
}

type GivenDurations = { readonly reboot: number; readonly leastPerGiB: number };

/** Generates durations. The simulation varies each one by up to 20% on each use. */
function durationsOf(dice: Dice, disruption: RandomWorld["class"], { reboot, leastPerGiB }: GivenDurations): Durations {
  const apply = { Reboot: [15, 60], Drain: [40, 95], Reload: [13, 48] }[disruption];
  return {
    ...threeWorkers.durations,
    drain: dice.between("drain", 15, 70),
    apply: dice.between("apply", apply[0] ?? 0, apply[1] ?? 0),
    reboot,
    migration: dice.between("migration", 4, 25),
    migrationPerGiB: Math.max(dice.between("pace", 2.5, 13), leastPerGiB * dice.between("waste", 1.3, 1.6)),
    shutdown: dice.between("shutdown", 5, 120),
  };
}

export const changedFile = "/etc/changed";

function policyOf(disruption: RandomWorld["class"]) {
  const actions = {
    Reboot: [{ type: "Reboot" }],
    Drain: [{ type: "Drain" }],
    Reload: [{ type: "Restart", restart: { serviceName: "crio.service" } }],
  }[disruption];
  return { files: [{ path: changedFile, actions }] };
}
