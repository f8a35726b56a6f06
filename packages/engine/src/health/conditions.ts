// Reads the conditions in an object's status.

import type { KubeObject } from "../cluster.ts";
import { asList, asNumber, asText, at, type Json, member } from "../json.ts";

export type Condition = { readonly type: string; readonly status: string; readonly message: string };

export function conditionsOf(object: KubeObject): readonly Condition[] {
  return asList(at(object, "status", "conditions")).flatMap(readCondition);
}

function readCondition(condition: Json): readonly Condition[] {
  const [type, status, message] = ["type", "status", "message"].map((key) => asText(member(condition, key)));
  return type === undefined || status === undefined ? [] : [{ type, status, message: message ?? "" }];
}

export function findTrue(conditions: readonly Condition[], type: string): Condition | undefined {
  return conditions.find((condition) => condition.type === type && condition.status === "True");
}

/** Whether whoever writes the status has not seen the present spec yet. */
export function isBehind(object: KubeObject): boolean {
  const observed = asNumber(at(object, "status", "observedGeneration"));
  return observed !== undefined && observed < (object.metadata.generation ?? 0);
}
