// What has to be true of the cluster before an asset is of use. Data, so that it can be explained.

import type { Detector } from "./hardware.ts";
import type { TopologyField } from "./topology.ts";

export type Condition =
  | { readonly type: "annotation"; readonly key: string; readonly value?: string }
  | { readonly type: "feature-gate"; readonly value: string }
  | { readonly type: "hardware-detection"; readonly detector: Detector }
  /** `value` "false" inverts. */
  | { readonly type: "topology"; readonly field: TopologyField; readonly value?: "true" | "false" }
  | { readonly type: "image"; readonly key: string }
  | { readonly type: "hco-field-unconfigured"; readonly path: string }
  | { readonly type: "anyOf"; readonly of: readonly Condition[] };

export const annotated = (key: string, value?: string): Condition => ({
  type: "annotation",
  key,
  ...(value !== undefined && { value }),
});
export const gate = (value: string): Condition => ({ type: "feature-gate", value });
export const detected = (detector: Detector): Condition => ({ type: "hardware-detection", detector });
export const topologyIs = (field: TopologyField, value: "true" | "false" = "true"): Condition => ({
  type: "topology",
  field,
  value,
});
export const anyOf = (...of: readonly Condition[]): Condition => ({ type: "anyOf", of });
