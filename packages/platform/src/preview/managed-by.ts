// Names the operator or plan that manages an object, for the report, tables and explanations.

import { autopilotName, configKind, fieldManagers, type KubeObject } from "@virt/api";
import { type AutopilotFact, isLeftToAutopilot } from "../autopilot/manager.ts";
import type { ObjectDecision } from "../baseline/decision.ts";
import type { EvaluatedObject } from "../evaluate/evaluate-object.ts";

/** The operator or plan that manages an object. `none`: no operator corrects it. */
export type ManagedBy =
  | typeof fieldManagers.platform
  | typeof autopilotName
  | `${typeof configKind.kind}/${string}`
  | "none";

/** Returns the manager to which the platform controller leaves an object. Undefined if it leaves it to none. */
export function yieldedTo(manager: ManagedBy): string | undefined {
  return manager === fieldManagers.platform || manager === "none" ? undefined : manager;
}

type Managed = {
  readonly live: KubeObject | undefined;
  readonly evaluated: EvaluatedObject;
  /** Absent if no asset is active or an asset is on hold. */
  readonly decision: ObjectDecision | undefined;
  readonly autopilot: Pick<AutopilotFact, "state">;
};

/** Returns the manager of an object. Fields that others manage on a shared object do not count. */
export function managedBy({ live, evaluated, decision, autopilot }: Managed): ManagedBy {
  if (isManagedByUs(evaluated, decision)) return fieldManagers.platform;
  if (isLeftToAutopilot(live, autopilot)) return autopilotName;
  const statuses = [...evaluated.statuses.values()].flatMap((status) => (status.kind === "excluded" ? status : []));
  if (statuses.some(({ reason }) => reason === "ManagedByAutopilot" || reason === "ClaimedByAutopilot"))
    return autopilotName;
  const [governed] = statuses.filter(({ reason }) => reason === "GovernedByPlan");
  return governed === undefined ? "none" : `${configKind.kind}/${governed.details.split(" ").at(-1) ?? ""}`;
}

const leftToOthers: ReadonlySet<ObjectDecision["kind"]> = new Set([
  "managed-by-other",
  "unmanaged",
  "contested",
  "not-there",
]);

function isManagedByUs({ wanted }: EvaluatedObject, decision: ObjectDecision | undefined): boolean {
  if (wanted.kind !== "object") return wanted.kind === "held";
  return decision === undefined || !leftToOthers.has(decision.kind);
}
