import {
  findingSeverities,
  type NodeRollout,
  nodeRolloutPhases,
  type ObservedSeconds,
  type PoolRollout,
  type RolloutFinding,
  type RolloutStatus,
  type StoppedVms,
} from "@virt/api";
import { gapSchema } from "./impact.ts";
import { atomic, count, flag, list, name, shape, text, time, word } from "./schema.ts";

const seconds = (description: string) => list(description, count("Seconds."), { maxItems: 20 });

const pool = shape<PoolRollout>(
  "A pool of the rollout.",
  {
    name: name("Name of the pool."),
    total: count("Number of nodes."),
    done: count("Number of nodes that run the new configuration."),
    inHand: count("Number of nodes being updated."),
    waiting: count("Number of nodes waiting for their update."),
    degraded: count("Number of degraded nodes."),
    rendered: flag("False while the target configuration of the pool does not contain the change."),
    observed: shape<ObservedSeconds>("Measured durations of nodes, latest last.", {
      drainSeconds: seconds("Time from the drain request until the drain ended."),
      restartSeconds: seconds("Time from the reboot until the node was Ready again."),
    }),
  },
  { required: ["name"] },
);

const node = shape<NodeRollout>(
  "A node of the rollout.",
  {
    name: name("Name of the node."),
    pool: name("Name of the pool."),
    phase: word(nodeRolloutPhases, "Phase of the node."),
    since: time("Time at which the node was first seen in this phase."),
    step: text("Current step, as reported by the Machine Config Daemon.", { maxLength: 160 }),
  },
  { required: ["name", "phase"] },
);

const finding = shape<RolloutFinding>(
  "One cause that blocks or may block the rollout.",
  {
    id: text("Finding type. docs/stuck-rollouts.md describes each type.", { maxLength: 63 }),
    severity: word(findingSeverities, "blocking: you must act. warning: check the cause. info: no action is needed."),
    node: name("The affected node. Absent if the finding is about a pool or the cluster."),
    object: {
      type: "object",
      description: "The affected object.",
      properties: {
        kind: text("Kind of the object.", { maxLength: 63 }),
        namespace: name("Namespace of the object. Absent if the object is cluster-scoped."),
        name: name("Name of the object; * if names are hidden."),
      },
    },
    message: text("Description of the problem.", { maxLength: 1024 }),
    command: text(
      "The command to run next. If the finding has several options, it changes nothing: docs/stuck-rollouts.md lists the options.",
      { maxLength: 1024 },
    ),
    since: time("Time at which the finding was first seen."),
  },
  { required: ["id", "severity", "message"] },
);

const stoppedVm = shape<StoppedVms["listed"][number]>(
  "A VirtualMachine.",
  { namespace: name("Namespace of the object."), name: name("Name of the object.") },
  { required: ["namespace", "name"] },
);

export const rolloutSchema = shape<RolloutStatus>(
  "Progress of the nodes that roll out the changes of this config, and what blocks them. Kept after the rollout ends.",
  {
    summary: text("Summary in short sentences.", { maxLength: 512 }),
    remaining: {
      type: "object",
      description: "Remaining duration, not counting blocked time.",
      properties: { lowSeconds: count("Lower bound."), highSeconds: count("Upper bound.") },
    },
    pools: list("The pools, by name.", pool, { maxItems: 8 }),
    nodes: list("The nodes. Nodes that are being updated or are degraded come first.", node, { maxItems: 20 }),
    findings: list("Findings about the rollout, in rollout order.", finding, { maxItems: 20 }),
    stoppedVms: {
      type: "object",
      description:
        "VMs that ran on these nodes during the rollout and are not running now. After the rollout: VMs that were not running at its end and that do not restart automatically.",
      properties: {
        total: count("Number of VMs."),
        listed: list("The first of these VMs. Empty if names are hidden.", stoppedVm, { maxItems: 20 }),
      },
    },
    notAssessed: list(
      "The inputs that the diagnosis could not read, by kind. They may hide findings. Absent if it read everything.",
      gapSchema,
      { maxItems: 16 },
    ),
    more: {
      type: "object",
      description: "Number of entries that are not listed.",
      properties: { pools: count("Pools."), nodes: count("Nodes."), findings: count("Findings.") },
    },
  },
  { required: ["summary"], ...atomic },
);
