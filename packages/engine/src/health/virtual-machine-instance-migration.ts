// A migration of a virtual machine is done when it succeeded.

import type { KubeObject } from "../cluster.ts";
import { asText, at } from "../json.ts";
import type { Health } from "./health.ts";

export function virtualMachineInstanceMigrationHealth(object: KubeObject): Health {
  const machine = asText(at(object, "spec", "vmiName")) ?? "?";
  const phase = asText(at(object, "status", "phase")) ?? "";
  const name = `Migration '${object.metadata.name}' of '${machine}'`;
  if (phase === "Succeeded") return { state: "done", message: `${name} succeeded` };
  if (phase === "Failed") return { state: "failed", message: `${name} failed` };
  return { state: "waiting", message: phase === "" ? `${name} has not begun` : `${name} is ${phase}` };
}
