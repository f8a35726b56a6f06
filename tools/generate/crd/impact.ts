// The schemas of spec.guards, status.disruption and status.impact.

import {
  disruptionClasses,
  type Guards,
  holdups,
  type Impact,
  type ImpactCapacity,
  type ImpactDuration,
  type ImpactEntry,
  type ImpactGap,
  type ImpactPool,
  notAssessedReasons,
  type PoolDisruption,
  vmOutcomes,
} from "@virt/api";
import { atomic, count, flag, list, listByKey, name, type Schema, shape, text, time, word } from "./schema.ts";

const classHelp = "What happens to its nodes: Drain without a reboot, Reload of services without a drain.";

export const guardsSchema = shape<Guards>(
  "What must hold before an approved plan that changes a MachineConfig starts. Unless set, nothing waits.",
  {
    maxBlockingVMs: count("How many VMs may block the drain of a node.", { maximum: 10_000 }),
    maxNodes: count("How many nodes the plan may change.", { minimum: 1, maximum: 5_000 }),
    requireCapacity: flag("Whether all VMs of the nodes that drain at once must fit elsewhere."),
  },
);

export const disruptionSchema = listByKey(
  "pool",
  "What the plan's own MachineConfigs do to each pool; pools to which nothing happens are left out. Part of status.planHash.",
  shape<PoolDisruption>(
    "A pool that the plan disturbs.",
    { pool: name("Name of the pool."), class: word(disruptionClasses, classHelp) },
    { required: ["pool", "class"] },
  ),
  { maxItems: 16 },
);

const entry = shape<ImpactEntry>(
  "A VM or a pod of which a person should know.",
  {
    node: name("Where it runs."),
    kind: word(["VirtualMachineInstance", "Pod"], "What it is."),
    namespace: name("Its namespace."),
    name: name("Its name; * where names are not shown."),
    reason: text("Why it blocks; else what becomes of it.", { maxLength: 160 }),
  },
  { required: ["node", "kind", "namespace", "name", "reason"] },
);

const pool = shape<ImpactPool>(
  "A pool whose nodes change.",
  {
    name: name("Name of the pool."),
    class: word(disruptionClasses, `${classHelp} With what was waiting there before.`),
    nodes: count("How many nodes change by themselves."),
    held: count("How many nodes do not start."),
    atOnce: count("How many nodes change at the same time."),
    waves: count("How many times so many start."),
    holdup: word(holdups, "Why nodes do not start; absent if all do."),
    heldBy: name("Name of the KubeletConfig that is refused; absent for other holdups."),
    order: list("The first nodes, in the order of their start.", name("Name of a node."), { maxItems: 12 }),
    lowSeconds: count("How long it takes at least; absent if not known."),
    highSeconds: count("How long it takes at most, without the time that VMs and pods block."),
  },
  { required: ["name", "class"] },
);

const duration = shape<ImpactDuration>(
  "How long the rollout takes, without the time that VMs and pods block. Absent if no node changes by itself.",
  {
    lowSeconds: count("At least."),
    highSeconds: count("At most."),
    text: text("Both, for people.", { maxLength: 64 }),
    restart: word(["observed", "default"], "Where the time of a restart is from."),
    migration: word(["history", "default"], "Where the time of a migration is from."),
  },
);

const capacity = shape<ImpactCapacity>("Whether the VMs of nodes that drain at the same time fit on other nodes.", {
  fits: word(["Yes", "No", "Unknown"], "Whether they do."),
  nodes: list("The first nodes of the wave that lacks most memory.", name("Name of a node."), { maxItems: 3 }),
  unplacedVMs: count("How many VMs of that wave find no room."),
  unplacedMiB: count("How much memory they ask for."),
});

/** An input that could not be read, of an impact or of a rollout. */
export const gapSchema = shape<ImpactGap>(
  "Something that could not be read.",
  {
    what: text("What is not assessed.", { maxLength: 63 }),
    reason: word(notAssessedReasons, "Why."),
    message: text("What the API server answered.", { maxLength: 160 }),
  },
  { required: ["what", "reason"] },
);

const numbers = (description: string, members: Readonly<Record<string, Schema>>): Schema => ({
  type: "object",
  description,
  properties: members,
});

const outcomeHelp: Readonly<Record<(typeof vmOutcomes)[number], string>> = {
  migrate: "VMs that live-migrate.",
  block: "VMs that block the drain until a person acts.",
  stop: "VMs that stop.",
  restart: "VMs that stop and start again.",
  external: "VMs that an external controller must move.",
  starting: "VMs that are not up yet; their eviction waits.",
  unknown: "VMs of which it is not known.",
};

export const impactSchema = shape<Impact>(
  "What carrying out the plan would do to nodes, VMs and pods, as far as it could be assessed. An observation: no part of the plan.",
  {
    assessedAt: time("When it was assessed."),
    summary: text("All of it in one sentence.", { maxLength: 512 }),
    nodes: count("How many nodes change by themselves."),
    held: count("How many nodes would change and do not start."),
    vms: numbers(
      "How many VMs on these nodes, by what becomes of them. Absent if not assessed.",
      Object.fromEntries(vmOutcomes.map((outcome) => [outcome, count(outcomeHelp[outcome])])),
    ),
    pods: numbers("How many other pods on these nodes need attention. Absent if not assessed.", {
      block: count("Pods that a PodDisruptionBudget keeps from being evicted."),
      delete: count("Pods without a controller: nobody makes them again."),
    }),
    duration,
    capacity,
    pools: list("The pools, by name.", pool, { maxItems: 8 }),
    blockers: list("What blocks a drain, in the order of the rollout.", entry, { maxItems: 20 }),
    stops: list("What stops, restarts, is deleted or is left to others, in the order of the rollout.", entry, {
      maxItems: 10,
    }),
    more: numbers("How many more there are than are listed.", {
      pools: count("Pools."),
      blockers: count("Blockers."),
      stops: count("Stops."),
    }),
    assumes: list("What was taken for granted.", text("One sentence.", { maxLength: 160 }), { maxItems: 10 }),
    notAssessed: list("What could not be read, and why.", gapSchema, { maxItems: 8 }),
  },
  { required: ["assessedAt", "summary"], ...atomic },
);
