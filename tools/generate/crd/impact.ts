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

const classHelp =
  "Effect on the nodes of the pool: Reboot, Drain without a reboot, Reload of services without a drain, or None.";

export const guardsSchema = shape<Guards>(
  "Limits that must be met before an approved plan that changes a MachineConfig starts. If not set, there are no limits.",
  {
    maxBlockingVMs: count("Maximum number of VMs that block the drain of a node.", { maximum: 10_000 }),
    maxNodes: count("Maximum number of nodes that the plan may change.", { minimum: 1, maximum: 5_000 }),
    requireCapacity: flag("If true, all VMs of the nodes that drain at the same time must fit on other nodes."),
  },
);

export const disruptionSchema = listByKey(
  "pool",
  "Disruption of each pool by the MachineConfigs of the plan. Pools without disruption are not listed. Part of status.planHash.",
  shape<PoolDisruption>(
    "A pool that the plan disrupts.",
    { pool: name("Name of the pool."), class: word(disruptionClasses, classHelp) },
    { required: ["pool", "class"] },
  ),
  { maxItems: 16 },
);

const entry = shape<ImpactEntry>(
  "A VM or pod that needs attention.",
  {
    node: name("Node of the VM or pod."),
    kind: word(["VirtualMachineInstance", "Pod"], "Kind of the object."),
    namespace: name("Namespace of the object."),
    name: name("Name of the object; * if names are hidden."),
    reason: text("Reason why it blocks, or its outcome.", { maxLength: 160 }),
  },
  { required: ["node", "kind", "namespace", "name", "reason"] },
);

const pool = shape<ImpactPool>(
  "A pool whose nodes change.",
  {
    name: name("Name of the pool."),
    class: word(disruptionClasses, `${classHelp} Includes changes that were already pending.`),
    nodes: count("Number of nodes that change automatically."),
    held: count("Number of nodes that do not start."),
    atOnce: count("Number of nodes that change at the same time."),
    waves: count("Number of waves, one after the other."),
    holdup: word(holdups, "Reason why nodes do not start. Absent if all nodes start."),
    heldBy: name("Name of the rejected KubeletConfig. Absent for other causes."),
    order: list("The first nodes, in the order of their start.", name("Name of a node."), { maxItems: 12 }),
    lowSeconds: count("Minimum duration. Absent if unknown."),
    highSeconds: count("Maximum duration, not counting the time that VMs and pods block."),
  },
  { required: ["name", "class"] },
);

const duration = shape<ImpactDuration>(
  "Estimated duration of the rollout, not counting the time that VMs and pods block. Absent if no node changes automatically.",
  {
    lowSeconds: count("Lower bound."),
    highSeconds: count("Upper bound."),
    text: text("Both bounds as text.", { maxLength: 64 }),
    restart: word(["observed", "default"], "Source of the restart times."),
    migration: word(["history", "default"], "Source of the migration times."),
  },
);

const capacity = shape<ImpactCapacity>("Capacity for the VMs of nodes that drain at the same time.", {
  fits: word(["Yes", "No", "Unknown"], "Yes if they fit on other nodes, No if not."),
  nodes: list("The first nodes of the wave with the largest memory shortage.", name("Name of a node."), {
    maxItems: 3,
  }),
  unplacedVMs: count("Number of VMs of this wave that do not fit on other nodes."),
  unplacedMiB: count("Memory that these VMs request."),
});

export const gapSchema = shape<ImpactGap>(
  "An input that could not be read.",
  {
    what: text("The input that is not assessed.", { maxLength: 63 }),
    reason: word(notAssessedReasons, "Reason."),
    message: text("Response of the API server.", { maxLength: 160 }),
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
  block: "VMs that block the drain until you act.",
  stop: "VMs that stop.",
  restart: "VMs that stop and start again.",
  external: "VMs that an external controller must move.",
  starting: "VMs that are still starting. Their eviction is delayed.",
  unknown: "VMs whose outcome is unknown.",
};

export const impactSchema = shape<Impact>(
  "Predicted effect of the plan on nodes, VMs and pods, as far as it could be assessed. It is not part of the plan.",
  {
    assessedAt: time("Time of the assessment."),
    summary: text("Summary in short sentences.", { maxLength: 512 }),
    nodes: count("Number of nodes that change automatically."),
    held: count("Number of nodes that are to change but do not start."),
    vms: numbers(
      "Number of VMs on these nodes, by outcome. Absent if not assessed.",
      Object.fromEntries(vmOutcomes.map((outcome) => [outcome, count(outcomeHelp[outcome])])),
    ),
    pods: numbers("Number of other pods on these nodes that need attention. Absent if not assessed.", {
      block: count("Pods whose eviction a PodDisruptionBudget prevents."),
      delete: count("Pods without a controller, which are not re-created."),
    }),
    duration,
    capacity,
    pools: list("The pools, by name.", pool, { maxItems: 8 }),
    blockers: list("VMs and pods that block a drain, in rollout order.", entry, { maxItems: 20 }),
    stops: list(
      "VMs and pods that stop, restart, are deleted or wait for an external controller, in rollout order.",
      entry,
      {
        maxItems: 10,
      },
    ),
    more: numbers("Number of entries that are not listed.", {
      pools: count("Pools."),
      blockers: count("Blockers."),
      stops: count("Stops."),
    }),
    assumes: list("Assumptions of the assessment.", text("One assumption.", { maxLength: 160 }), { maxItems: 10 }),
    notAssessed: list("Inputs that could not be read, and why.", gapSchema, { maxItems: 8 }),
  },
  { required: ["assessedAt", "summary"], ...atomic },
);
