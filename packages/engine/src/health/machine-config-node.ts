// A MachineConfigNode tells how far one node is with its configuration.

import type { KubeObject } from "../cluster.ts";
import { asText, at } from "../json.ts";
import { type Condition, conditionsOf, findTrue } from "./conditions.ts";
import type { Health } from "./health.ts";

// In the order in which an update goes through them; a step under way is Unknown or True.
const steps = [
  { type: "Resumed", text: "is back at work" },
  { type: "Uncordoned", text: "takes work again" },
  { type: "RebootedNode", text: "is rebooting" },
  { type: "AppliedFilesAndOS", text: "is being written to" },
  { type: "Drained", text: "is being drained" },
  { type: "Cordoned", text: "takes no new work" },
  { type: "UpdatePrepared", text: "is about to be updated" },
] as const;

export function machineConfigNodeHealth(object: KubeObject): Health {
  const name = `Node '${object.metadata.name}'`;
  const conditions = conditionsOf(object);
  if (conditions.length === 0) return { state: "waiting", message: `${name} has no status yet` };
  const degraded = findTrue(conditions, "NodeDegraded");
  if (degraded !== undefined) return { state: "degraded", message: `${name} is degraded (${degraded.message})` };
  const current = asText(at(object, "status", "configVersion", "current"));
  const isCurrent = current !== undefined && current === asText(at(object, "spec", "configVersion", "desired"));
  if (isCurrent && findTrue(conditions, "Updated") !== undefined)
    return { state: "done", message: `${name} is updated` };
  const step = steps.find(({ type }) => conditions.some((condition) => isUnderWay(condition, type)));
  return { state: "waiting", message: `${name} ${step?.text ?? "waits for its turn"}` };
}

function isUnderWay(condition: Condition, type: string): boolean {
  return condition.type === type && condition.status !== "False";
}
