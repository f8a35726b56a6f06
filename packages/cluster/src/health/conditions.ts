import { asList, asNumber, asText, at, type Json, type KubeObject, member } from "@virt/objects";

/** How far an object has reached the state in its spec. */
export type Health = {
  readonly state:
    | "done" // the object has the state of its spec
    | "waiting" // in progress, or not observed by its controller yet
    | "degraded" // has a problem that may resolve itself
    | "failed"; // will not succeed
  readonly message: string; // for display only
  /** A problem that needs attention. Absent if the object only has to wait. */
  readonly problem?: string;
  /** The progress of each pool that has nodes. */
  readonly pools?: readonly PoolProgress[];
};

/** The progress of a pool. `updated` is absent until the pool has observed the new config. */
export type PoolProgress = { readonly pool: string; readonly updated?: number; readonly nodes: number };

/** A condition. `time` is the last transition, in RFC 3339 format. Missing strings are empty. */
export type ObjectCondition = {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly time: string;
};

/** Returns the conditions that have a type and a status. */
export function conditionsOf(object: KubeObject): readonly ObjectCondition[] {
  return asList(at(object, "status", "conditions")).flatMap(readCondition);
}

function readCondition(condition: Json): readonly ObjectCondition[] {
  const text = (key: string) => asText(member(condition, key));
  const [type, status] = [text("type"), text("status")];
  if (type === undefined || status === undefined) return [];
  const [reason = "", message = "", time = ""] = [text("reason"), text("message"), text("lastTransitionTime")];
  return [{ type, status, reason, message, time }];
}

/** Returns the message, or the reason if there is no message. The descheduler operator sets only the reason. */
export function explanationOf(condition: ObjectCondition | undefined): string {
  return condition?.message || (condition?.reason ?? "");
}

/** Returns the condition of this type if its status is True, otherwise undefined. */
export function findTrue(conditions: readonly ObjectCondition[], type: string): ObjectCondition | undefined {
  return conditions.find((condition) => condition.type === type && condition.status === "True");
}

/** Reports whether the status is older than the spec. False if the status has no `observedGeneration`. */
export function isBehind(object: KubeObject): boolean {
  const observed = asNumber(at(object, "status", "observedGeneration"));
  return observed !== undefined && observed < (object.metadata.generation ?? 0);
}

/** Returns the health, based on the conditions that operators set. If there is no Available condition, returns `silence`. */
export function operatorHealth(object: KubeObject, silence: "available" | "unavailable"): Health {
  const name = `${object.kind} '${object.metadata.name}'`;
  const conditions = conditionsOf(object);
  if (conditions.length === 0) return { state: "waiting", message: `${name} has no status yet` };
  if (isBehind(object)) return { state: "waiting", message: `${name} is processing changes` };
  const degraded = find(conditions, "Degraded", "True");
  if (degraded !== undefined) return { state: "degraded", message: `${name} is degraded${because(degraded)}` };
  const progressing = find(conditions, "Progressing", "True");
  if (progressing !== undefined) return { state: "waiting", message: `${name} is progressing${because(progressing)}` };
  const unavailable = find(conditions, "Available", "False");
  const isSilent = silence === "unavailable" && find(conditions, "Available", "True") === undefined;
  if (unavailable !== undefined || isSilent)
    return { state: "waiting", message: `${name} is not available${because(unavailable)}` };
  return { state: "done", message: `${name} is available` };
}

function find(conditions: readonly ObjectCondition[], type: string, status: string): ObjectCondition | undefined {
  return conditions.find((condition) => condition.type.endsWith(type) && condition.status === status);
}

function because(condition: ObjectCondition | undefined): string {
  const text = explanationOf(condition);
  return text === "" ? "" : ` (${text})`;
}
