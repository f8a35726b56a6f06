// The health of an object, and the conditions in a status that it follows from.

import type { KubeObject } from "../cluster.ts";
import { asList, asNumber, asText, at, type Json, member } from "../json/json.ts";

/** Whether an object has become what its spec says. */
export type Health = {
  readonly state:
    | "done" // it has become what its spec says
    | "waiting" // it is on its way, or its controller has not observed it yet
    | "degraded" // something is wrong that may still heal
    | "failed"; // it will not get there
  readonly message: string; // for people; no branch reads it
  /** What is wrong and needs a person, without what merely takes its time. */
  readonly problem?: string;
  /** The node counts of every pool that has nodes. */
  readonly pools?: readonly PoolProgress[];
};

/** How many nodes of a pool run its new configuration; absent until the pool has observed that configuration. */
export type PoolProgress = { readonly pool: string; readonly updated?: number; readonly nodes: number };

/** `message` is the reason if the condition has no message: the descheduler operator explains itself in the reason. */
export type ObjectCondition = { readonly type: string; readonly status: string; readonly message: string };

export function conditionsOf(object: KubeObject): readonly ObjectCondition[] {
  return asList(at(object, "status", "conditions")).flatMap(readCondition);
}

function readCondition(condition: Json): readonly ObjectCondition[] {
  const [type, status, message, reason] = ["type", "status", "message", "reason"].map((key) =>
    asText(member(condition, key)),
  );
  return type === undefined || status === undefined ? [] : [{ type, status, message: message || (reason ?? "") }];
}

export function findTrue(conditions: readonly ObjectCondition[], type: string): ObjectCondition | undefined {
  return conditions.find((condition) => condition.type === type && condition.status === "True");
}

/** Whether the status is of an older generation than the spec. */
export function isBehind(object: KubeObject): boolean {
  const observed = asNumber(at(object, "status", "observedGeneration"));
  return observed !== undefined && observed < (object.metadata.generation ?? 0);
}

/** An operator that says nothing of being available counts as available only if `silence` does. */
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
  return condition === undefined || condition.message === "" ? "" : ` (${condition.message})`;
}
