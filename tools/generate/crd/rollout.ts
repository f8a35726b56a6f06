// The schema of status.rollout.

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
    total: count("How many nodes it has."),
    done: count("How many have the new configuration in force."),
    inHand: count("How many are being changed."),
    waiting: count("How many have not been started."),
    degraded: count("How many are degraded."),
    rendered: flag("False while the configuration that the pool aims at does not contain the change."),
    observed: shape<ObservedSeconds>("What its nodes took, the latest last.", {
      drainSeconds: seconds("From the request to drain to its end."),
      restartSeconds: seconds("From the reboot until the node was back."),
    }),
  },
  { required: ["name"] },
);

const node = shape<NodeRollout>(
  "A node of the rollout.",
  {
    name: name("Name of the node."),
    pool: name("Its pool."),
    phase: word(nodeRolloutPhases, "What it is doing."),
    since: time("When it was first seen doing it."),
    step: text("What the Machine Config Daemon says that it does.", { maxLength: 160 }),
  },
  { required: ["name", "phase"] },
);

const finding = shape<RolloutFinding>(
  "One thing that holds the rollout, or may.",
  {
    id: text("Which finding; docs/stuck-rollouts.md tells of each.", { maxLength: 63 }),
    severity: word(findingSeverities, "Whether a person must act, should look, or may like to know."),
    node: name("The node that it concerns; absent if it concerns a pool or the cluster."),
    object: {
      type: "object",
      description: "The object that it is about.",
      properties: {
        kind: text("Its kind.", { maxLength: 63 }),
        namespace: name("Its namespace; absent if it is cluster scoped."),
        name: name("Its name; * where names are not shown."),
      },
    },
    message: text("What is the matter.", { maxLength: 1024 }),
    command: text("What to type next.", { maxLength: 1024 }),
    since: time("When it was first seen."),
  },
  { required: ["id", "severity", "message"] },
);

const stoppedVm = shape<StoppedVms["listed"][number]>(
  "A VirtualMachine.",
  { namespace: name("Its namespace."), name: name("Its name.") },
  { required: ["namespace", "name"] },
);

export const rolloutSchema = shape<RolloutStatus>(
  "How far the nodes are that roll out what this config wrote, and what holds them. Kept when it is over.",
  {
    summary: text("All of it in one sentence.", { maxLength: 512 }),
    remaining: {
      type: "object",
      description: "How much longer it takes, without the time that something blocks.",
      properties: { lowSeconds: count("At least."), highSeconds: count("At most.") },
    },
    pools: list("The pools, by name.", pool, { maxItems: 8 }),
    nodes: list("The nodes; those that are being changed or are degraded come first.", node, { maxItems: 20 }),
    findings: list("What holds it, in the order of the rollout.", finding, { maxItems: 20 }),
    stoppedVms: {
      type: "object",
      description:
        "VMs that ran on these nodes during the rollout and do not run now. When the rollout is over: those that did not run at its end and that nothing but a person starts.",
      properties: {
        total: count("How many."),
        listed: list("The first of them; none where names are not shown.", stoppedVm, { maxItems: 20 }),
      },
    },
    notAssessed: list(
      "The inputs that the diagnosis could not read, by kind. They may hide findings. Absent if it read everything.",
      gapSchema,
      { maxItems: 16 },
    ),
    more: {
      type: "object",
      description: "How many more there are than are listed.",
      properties: { pools: count("Pools."), nodes: count("Nodes."), findings: count("Findings.") },
    },
  },
  { required: ["summary"], ...atomic },
);
