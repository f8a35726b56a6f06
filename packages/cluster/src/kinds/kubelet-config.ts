// Reads KubeletConfigs: the pools that they select, and the conditions that the Machine Config Operator reports.

import { asList, asText, at, type InformerSpec, type Json, type KubeObject, member } from "@virt/objects";
import type { ObjectCondition } from "../health/conditions.ts";
import { keepConditions } from "./kept-members.ts";

/** All KubeletConfigs, without their settings. `isAutoSized` is therefore always false. */
export const kubeletConfigInformer: InformerSpec = {
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "KubeletConfig",
  projection: {
    keep: "members",
    members: [
      ["metadata", "name"],
      ["spec", "machineConfigPoolSelector"],
      ...keepConditions(["Accepted", "Failure", "Success"], ["type", "status", "message"]),
    ],
  },
};

export type KubeletConfig = {
  readonly poolSelector: Json | undefined;
  /** True if each node reserves resources according to its size. */
  readonly isAutoSized: boolean;
  /** All conditions in order, including incomplete ones. Absent strings are empty. */
  readonly conditions: readonly Pick<ObjectCondition, "type" | "status" | "message">[];
};

/** Reads a KubeletConfig of any shape. */
export function readKubeletConfig(object: KubeObject): KubeletConfig {
  const spec = member(object, "spec");
  return {
    poolSelector: member(spec, "machineConfigPoolSelector"),
    isAutoSized: member(spec, "autoSizingReserved") === true,
    conditions: asList(at(object, "status", "conditions")).map((condition) => {
      const text = (key: string) => asText(member(condition, key)) ?? "";
      return { type: text("type"), status: text("status"), message: text("message") };
    }),
  };
}
