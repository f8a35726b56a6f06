// The conditions that operators use: Available, Progressing, Degraded, each alone or as the end of a longer name.

import type { KubeObject } from "../cluster.ts";
import { type Condition, conditionsOf, isBehind } from "./conditions.ts";
import type { Health } from "./health.ts";

/** An operator that says nothing of being available counts as available only if `silence` does. */
export function operatorHealth(object: KubeObject, silence: "available" | "unavailable"): Health {
  const name = `${object.kind} '${object.metadata.name}'`;
  const conditions = conditionsOf(object);
  if (conditions.length === 0) return { state: "waiting", message: `${name} has no status yet` };
  const degraded = find(conditions, "Degraded", "True");
  if (degraded !== undefined) return { state: "degraded", message: `${name} is degraded${because(degraded)}` };
  if (isBehind(object)) return { state: "waiting", message: `${name} is processing changes` };
  const progressing = find(conditions, "Progressing", "True");
  if (progressing !== undefined) return { state: "waiting", message: `${name} is progressing${because(progressing)}` };
  const unavailable = find(conditions, "Available", "False");
  const isSilent = silence === "unavailable" && find(conditions, "Available", "True") === undefined;
  if (unavailable !== undefined || isSilent)
    return { state: "waiting", message: `${name} is not available${because(unavailable)}` };
  return { state: "done", message: `${name} is available` };
}

function find(conditions: readonly Condition[], type: string, status: string): Condition | undefined {
  return conditions.find((condition) => condition.type.endsWith(type) && condition.status === status);
}

function because(condition: Condition | undefined): string {
  return condition === undefined || condition.message === "" ? "" : ` (${condition.message})`;
}
