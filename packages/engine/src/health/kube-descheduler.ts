// A KubeDescheduler is done when its operator reports no trouble; older operators do not report Available.

import type { KubeObject } from "../cluster.ts";
import type { Health } from "./health.ts";
import { operatorHealth } from "./operator-conditions.ts";

export function kubeDeschedulerHealth(object: KubeObject): Health {
  return operatorHealth(object, "available");
}
