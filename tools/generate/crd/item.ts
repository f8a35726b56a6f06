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
    apiVersion: text("API group and version of the object."),
    kind: text("Kind of the object."),
    name: text("Name of the object."),
    namespace: text("Namespace of the object. Absent if the object is cluster-scoped."),
  },
  { required: ["apiVersion", "kind", "name"], ...atomic },
);

const conflict = shape<Conflict>(
  "A field that another client set and that the apply of the item takes over.",
  {
    field: text("Path of the field."),
    manager: text("Field manager that owns the field."),
    operation: word(["Apply", "Update"], "Value that the owner set."),
    time: time("Time at which the owner set the field."),
  },
  { required: ["field", "manager"] },
);

const reviewed = shape<Reviewed>(
  "Identity of the reviewed target. The item is not applied to any other object.",
  {
    uid: text("uid of the target. Empty if the target did not exist."),
    resourceVersion: text("resourceVersion of the target. Empty if the target did not exist."),
    hash: text("Hash of its managed fields."),
  },
  { required: ["uid", "resourceVersion", "hash"], ...atomic },
);

const before = shape<Rollout["before"][number]>(
  "A MachineConfigPool before the item was applied.",
  {
    pool: text("Name of the pool."),
    configuration: text("The rendered configuration that was the target of the pool."),
  },
  { required: ["pool", "configuration"] },
);

const rolloutMembers = {
  startTime: time("Start time by the clock of the operator. spec.waitTimeout counts from this time."),
  before: list("The pools before the item was applied.", before),
};

const rollout = shape<Rollout>("The rollout of the item to the nodes.", rolloutMembers, {
  required: ["startTime"],
  ...atomic,
});

export const pendingRollout = shape<PendingRollout>(
  "A rollout in progress.",
  { machineConfig: text("Name of the MachineConfig that was written."), ...rolloutMembers },
  { required: ["machineConfig", "startTime"] },
);

export const itemSchema = shape<Item>(
  "The change that the plan makes to one object.",
  {
    name: text("Name of the item."),
    operation: word(operations, "Operation: Apply or Delete.", { default: "Apply" }),
    targetRef,
    impactSeverity: word(severities, "How much the item disrupts the cluster. High reboots nodes."),
    changes: flag("True if the plan changes the object. If false, nothing is applied."),
    diff: text("The changes, as a unified diff of the YAML of the object."),
    desiredState: {
      type: "object",
      description: "The content to apply. Absent for a deletion.",
      "x-kubernetes-preserve-unknown-fields": true,
      ...atomic,
    },
    managedFields: list("The fields that the item manages.", text("Path of a field.")),
    conflicts: list("Fields that the apply of the item takes over from other clients.", conflict),
    warnings: list("Warnings for the reviewer.", text("One warning.")),
    waitsFor: text(
      "The item that must be Completed before this item starts. If that item applies a MachineConfig and this item another kind, every node that can run VMs must run that MachineConfig.",
    ),
    state: word(itemStates, "State of the item.", { default: "Pending" }),
    message: text("Planned, current or completed action, as text."),
    lastTransitionTime: time("Time of the last state change."),
    reviewed,
    sourceHash: text("Hash of the managed fields of the target when the plan was drafted; part of status.planHash."),
    appliedTime: time("Time at which the API server confirmed the write of this plan. Absent until then."),
    rollout,
    corrections: list("Times of recent drift corrections.", time("Time of a correction."), { maxItems: 3 }),
  },
  { required: ["name", "targetRef"] },
);
