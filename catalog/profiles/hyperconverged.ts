// Finds the HyperConverged's fields, whose paths depend on the API version.

import type { CrdRequirement, OptionsRefusal } from "@virt/advisor";
import type { FieldsForm, Json, KubeObject, ObjectForm } from "@virt/api";
import { at } from "@virt/objects";

const group = "hco.kubevirt.io";

export const hyperConverged = {
  group,
  kind: "HyperConverged",
  plural: "hyperconvergeds",
  name: "kubevirt-hyperconverged",
} as const;

/** Returns the prerequisite. Its message names v1beta1, which every release serves. */
export function hyperConvergedNeed(remedy: string): CrdRequirement {
  const { kind } = hyperConverged;
  return { kind, group, versions: ["v1", "v1beta1"], shown: `${group}.v1beta1`, remedy };
}

/** Refuses a plan without a HyperConverged. Creating one would install OpenShift Virtualization. */
export function hyperConvergedAbsent(namespace: string): OptionsRefusal {
  const { kind, name } = hyperConverged;
  const next = `create ${kind} ${namespace}/${name} to install OpenShift Virtualization. The plan is then drafted automatically.`;
  return { kind: "absent", message: `${kind} '${name}' does not exist`, next };
}

export function hcoForms({ v1beta1, v1 }: Readonly<Record<"v1beta1" | "v1", FieldsForm>>): readonly ObjectForm[] {
  return [
    { apiVersion: `${group}/v1beta1`, spec: v1beta1 },
    { apiVersion: `${group}/v1`, spec: v1 },
  ];
}

/** Returns the parent path. Fields in `spec` of v1beta1 are in `spec.virtualization` of v1. */
export function valuesPath(apiVersion: string): readonly string[] {
  return apiVersion === `${group}/v1beta1` ? ["spec"] : ["spec", "virtualization"];
}

/** Returns the dotted path of a field in each version. */
export function fieldsOfHco(field: string): readonly string[] {
  return ["v1beta1", "v1"].map((version) => [...valuesPath(`${group}/${version}`), field].join("."));
}

export function hcoValue(object: KubeObject | undefined, ...keys: readonly string[]): Json | undefined {
  return object === undefined ? undefined : at(object, ...valuesPath(object.apiVersion), ...keys);
}
