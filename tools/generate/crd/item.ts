// The schema of one item of a plan.

import {
  type Conflict,
  type Item,
  itemStates,
  operations,
  type PendingRollout,
  type Ref,
  type Reviewed,
  type Rollout,
  severities,
} from "@virt/api";
import { atomic, flag, list, shape, text, time, word } from "./schema.ts";

const targetRef = shape<Ref>(
  "The object that the item writes.",
  {
    apiVersion: text("Its group and version."),
    kind: text("Its kind."),
    name: text("Its name."),
    namespace: text("Its namespace; absent if it is cluster scoped."),
  },
  { required: ["apiVersion", "kind", "name"], ...atomic },
);

const conflict = shape<Conflict>(
  "A field that somebody else set, and that applying the item takes over.",
  {
    field: text("Path of the field."),
    manager: text("Who owns it."),
    operation: word(["Apply", "Update"], "How the owner set it."),
    time: time("When the owner set it."),
  },
  { required: ["field", "manager"] },
);

const reviewed = shape<Reviewed>(
  "The target as it was reviewed: nothing is applied to another one.",
  {
    uid: text("Its uid; empty if there was no such object."),
    resourceVersion: text("Its resourceVersion; empty if there was no such object."),
    hash: text("Hash of its managed fields."),
  },
  { required: ["uid", "resourceVersion", "hash"], ...atomic },
);

const before = shape<Rollout["before"][number]>(
  "A MachineConfigPool before the item was applied.",
  { pool: text("Name of the pool."), configuration: text("The rendered configuration that it aimed at.") },
  { required: ["pool", "configuration"] },
);

const rolloutMembers = {
  startTime: time("When it began, by the present clock of the operator; spec.waitTimeout counts from here."),
  before: list("The pools before the item was applied.", before),
};

const rollout = shape<Rollout>("The rollout of the item over the nodes.", rolloutMembers, {
  required: ["startTime"],
  ...atomic,
});

export const pendingRollout = shape<PendingRollout>(
  "A rollout that is not done.",
  { machineConfig: text("Name of the MachineConfig that was written."), ...rolloutMembers },
  { required: ["machineConfig", "startTime"] },
);

export const itemSchema = shape<Item>(
  "What the plan does to one object.",
  {
    name: text("Name of the item."),
    operation: word(operations, "Whether the object is applied or deleted.", { default: "Apply" }),
    targetRef,
    impactSeverity: word(severities, "How much the item disturbs the cluster; High reboots nodes."),
    changes: flag("Whether the plan changes the object; if not, nothing is applied."),
    diff: text("What changes, as a unified diff of the object's YAML."),
    desiredState: {
      type: "object",
      description: "What is applied; absent for a deletion.",
      "x-kubernetes-preserve-unknown-fields": true,
      ...atomic,
    },
    managedFields: list("The fields that the item is in charge of.", text("Path of a field.")),
    conflicts: list("Fields that applying the item takes over from others.", conflict),
    warnings: list("What a reviewer should know.", text("One sentence.")),
    waitsFor: text(
      "The item that must be Completed before this one is begun. If that one applies a MachineConfig, and this one something else, every node that may run VMs must have it in force.",
    ),
    state: word(itemStates, "How far the item is.", { default: "Pending" }),
    message: text("What it will do, is doing or did, for people."),
    lastTransitionTime: time("When its state last changed."),
    reviewed,
    sourceHash: text("Hash of the managed fields of the target when the plan was drafted; part of status.planHash."),
    appliedTime: time("When the API server confirmed the write of this plan; absent until then."),
    rollout,
    corrections: list("When drift of the item was corrected of late.", time("Time of a correction."), { maxItems: 3 }),
  },
  { required: ["name", "targetRef"] },
);
