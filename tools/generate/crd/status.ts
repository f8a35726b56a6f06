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
  return shape<Status>("Description of the change.", {
    phase: word(phases, "Lifecycle phase of the plan."),
    impactSeverity: word(
      severities,
      "Impact severity of the plan. High reboots nodes. Without a plan: the highest severity that the profile can have.",
    ),
    observedGeneration: generation("Generation of the object that this status describes."),
    executedGeneration: generation("The last generation whose approved plan was executed."),
    specHash: text("Hash of the spec for which the plan was drafted, without action and approvedPlan."),
    planHash: text("Hash that identifies the content of the plan. spec.approvedPlan can refer to it."),
    sourceSnapshotHash: text("Hash of the managed fields of all targets at the time of the review."),
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
      "Only during a review: warnings that depend on the plans of other configs. They are not part of the plan.",
      text("One warning."),
      { maxItems: 32 },
    ),
    rollout: rolloutSchema,
    progress: text(
      "Number of updated nodes in the pools that are rolling out, such as 4/12 nodes, or stuck: 4/12 nodes while Stalled is True. Absent if no rollout is in progress.",
    ),
    inputs: listByKey("name", "External values that the plan depends on.", input),
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
      "Rollouts in progress that writes of this config started, regardless of the current plan.",
      pendingRollout,
      { maxItems: 16 },
    ),
    leftBehind: list(
      "Only while the config is ignored: objects that an earlier plan applied and that still have fields of the advisor, including plans of a deleted config. Also objects of the profile that the advisor is not allowed to read. Read when the config is ignored or edited, and when the advisor starts.",
      leftBehind,
      { maxItems: 16 },
    ),
    conditions: listByKey(
      "type",
      "One condition for each phase, of which the current one is True (Drifted can also be True during InProgress, CompletedWithErrors and Failed), conditions that need attention, and Ready, Reconciling and Stalled for tools.",
      condition,
    ),
  });
}

const review = shape<Review>(
  "The plan under review, and why it needs a review.",
  {
    planHash: text("Hash of the current plan."),
    generation: generation("Generation of the object when the plan was presented for review."),
    forced: flag("True if action Apply requires a new approval of this plan."),
    reason: word(reviewReasons, "Reason for the review."),
    message: text("Details of the reason, if the reason alone is not sufficient."),
  },
  { required: ["planHash", "generation", "forced", "reason"], ...atomic },
);

const input = shape<InputRecord>(
  "An external value that the plan depends on.",
  {
    name: text("Name of the input."),
    used: text("Value when the plan was drafted."),
    applied: text("Value in the last completed plan."),
  },
  { required: ["name"] },
);

const leftBehind = shape<LeftBehind>(
  "An object that an earlier plan left behind.",
  {
    apiVersion: text("API version of the object."),
    kind: text("Kind of the object."),
    name: text("Name of the object."),
    namespace: text("Namespace of the object. Absent if the object is cluster-scoped."),
    appliedTime: time("Time of the last apply by the advisor."),
    unread: flag("True if the advisor is not allowed to read the object. Its presence is unknown."),
  },
  { required: ["apiVersion", "kind", "name"] },
);

// Matches metav1.Condition: https://github.com/kubernetes/apimachinery/blob/master/pkg/apis/meta/v1/types.go
const condition = shape<Condition>(
  "One aspect of the state.",
  {
    type: text("Type of the condition.", {
      maxLength: 316,
      pattern:
        "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
    }),
    status: word(["True", "False", "Unknown"], "Status of the condition: True, False or Unknown."),
    reason: text("Machine-readable reason.", {
      minLength: 1,
      maxLength: 1024,
      pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
    }),
    message: text("Human-readable message.", { maxLength: 32_768 }),
    lastTransitionTime: time("Time of the last status change."),
    observedGeneration: generation("Generation of the object that the condition describes."),
  },
  { required: ["type", "status", "reason", "message", "lastTransitionTime"] },
);
