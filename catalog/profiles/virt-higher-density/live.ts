// What the HyperConverged says now about the two values that higher density writes.

import type { JsonMap, KubeObject } from "@virt/api";
import { asNumber, isMap } from "@virt/engine";
import { hcoValue } from "../hyperconverged.ts";

/** Undefined: KSM runs on no node. Without a selector it does not either: no selector matches nothing. */
export function liveSelector(hco: KubeObject | undefined): JsonMap | undefined {
  const selector = hcoValue(hco, "ksmConfiguration", "nodeLabelSelector");
  return isMap(selector) ? selector : undefined;
}

/** In percent. */
export function liveRatio(hco: KubeObject): number {
  return asNumber(hcoValue(hco, "higherWorkloadDensity", "memoryOvercommitPercentage")) ?? withoutOvercommit;
}

// What the API server fills in.
const withoutOvercommit = 100;
