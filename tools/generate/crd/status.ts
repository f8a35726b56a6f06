// The schema of status: what the advisor says about what was asked for.

import {
  type Condition,
  type InputRecord,
  type LeftBehind,
  phases,
  type Review,
  reviewReasons,
  type Status,
  severities,
} from "@virt/api";
import { disruptionSchema, impactSchema } from "./impact.ts";
import { itemSchema, pendingRollout } from "./item.ts";
import { type OptionSchemas, record } from "./options.ts";
import { rolloutSchema } from "./rollout.ts";
import { atomic, flag, generation, list, listByKey, type Schema, shape, text, time, word } from "./schema.ts";

export function statusSchema(options: OptionSchemas): Schema {
  return shape<Status>("What the advisor says about it.", {
    phase: word(phases, "Where the plan is in its life."),
    impactSeverity: word(
      severities,
      "Impact severity of the plan; High reboots nodes. Without a plan: the highest severity that the profile can have.",
    ),
    observedGeneration: generation("The generation of the object that this status is about."),
    executedGeneration: generation("The last generation whose request was carried out."),
    specHash: text("Hash of the spec for which the plan was drafted, without action and approvedPlan."),
    planHash: text("Names the content of the plan. spec.approvedPlan may name it."),
    sourceSnapshotHash: text("Hash of the managed fields of all targets as they were reviewed."),
    operatorVersion: text("Version of the operator that drafted the plan."),
    appliedOptions: {
      type: "object",
      description: "The options for which the plan was drafted.",
      properties: record(options),
    },
    review,
    disruption: disruptionSchema,
    impact: impactSchema,
    warnings: list(
      "While the plan waits for a review: warnings that depend on the plans of other configs. They are not part of the plan.",
      text("One warning."),
      { maxItems: 32 },
    ),
    rollout: rolloutSchema,
    progress: text(
      "How many nodes of the pools that roll are updated, such as 4/12 nodes, or stuck: 4/12 nodes while Stalled is True. Absent while nothing rolls.",
    ),
    inputs: listByKey("name", "What the plan depends on besides its options.", input),
    items: listByKey(
      "name",
      "The plan: one item for each object, in the order in which they are applied.",
      itemSchema,
      {
        maxItems: 16,
      },
    ),
    rollouts: listByKey(
      "machineConfig",
      "Rollouts that writes of this config set in motion and that are not done, whatever the plan is now.",
      pendingRollout,
      { maxItems: 16 },
    ),
    leftBehind: list(
      "Only while the config is ignored: objects that an earlier plan applied, also one of a deleted config, and that still have fields of the advisor, and objects of the profile that the advisor may not read. Read when the config is ignored or edited, and when the advisor starts.",
      leftBehind,
      { maxItems: 16 },
    ),
    conditions: listByKey(
      "type",
      "The phase as conditions, one of them True, and Drifted also beside InProgress, CompletedWithErrors and Failed; what needs attention; and Ready, Reconciling, Stalled for tools.",
      condition,
    ),
  });
}

const review = shape<Review>(
  "The plan on display, and why it waits.",
  {
    planHash: text("Hash of the plan on display."),
    generation: generation("The generation of the object when it was put on display."),
    forced: flag("Whether an Apply is withheld until a person has seen this plan."),
    reason: word(reviewReasons, "Why it waits."),
    message: text("What gave the reason, where the reason alone does not tell."),
  },
  { required: ["planHash", "generation", "forced", "reason"], ...atomic },
);

const input = shape<InputRecord>(
  "Something outside that the plan depends on.",
  {
    name: text("Which input."),
    used: text("Its value when the plan was drafted."),
    applied: text("Its value in the last plan that was finished."),
  },
  { required: ["name"] },
);

const leftBehind = shape<LeftBehind>(
  "An object that an earlier plan left in place.",
  {
    apiVersion: text("API version of the object."),
    kind: text("Kind of the object."),
    name: text("Name of the object."),
    namespace: text("Namespace of the object, if it has one."),
    appliedTime: time("When the advisor last applied it."),
    unread: flag("True if the advisor may not read it, so that it is not known whether it is there."),
  },
  { required: ["apiVersion", "kind", "name"] },
);

// As metav1.Condition has it: https://github.com/kubernetes/apimachinery/blob/master/pkg/apis/meta/v1/types.go
const condition = shape<Condition>(
  "One aspect of the state.",
  {
    type: text("Which aspect.", {
      maxLength: 316,
      pattern:
        "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
    }),
    status: word(["True", "False", "Unknown"], "Whether it holds."),
    reason: text("Why, for machines.", {
      minLength: 1,
      maxLength: 1024,
      pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
    }),
    message: text("Why, for people.", { maxLength: 32_768 }),
    lastTransitionTime: time("When its status last changed."),
    observedGeneration: generation("The generation of the object that it is about."),
  },
  { required: ["type", "status", "reason", "message", "lastTransitionTime"] },
);
