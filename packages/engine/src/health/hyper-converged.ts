// A HyperConverged is done when all it stands for is available and nothing is being rolled out.

import type { KubeObject } from "../cluster.ts";
import type { Health } from "./health.ts";
import { operatorHealth } from "./operator-conditions.ts";

export function hyperConvergedHealth(object: KubeObject): Health {
  return operatorHealth(object, "unavailable");
}
