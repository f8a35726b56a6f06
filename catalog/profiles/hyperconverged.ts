// Where the HyperConverged keeps the values that profiles read and write, in each version of its API.

import type { CrdRequirement } from "@virt/advisor";
import type { FieldsForm, Json, KubeObject, ObjectForm } from "@virt/api";
import { at } from "@virt/engine";

const group = "hco.kubevirt.io";

/** There is one, of this name. */
export const hyperConverged = {
  group,
  kind: "HyperConverged",
  plural: "hyperconvergeds",
  name: "kubevirt-hyperconverged",
} as const;

/** The message names the version that every release has served. */
export function hyperConvergedNeed(remedy: string): CrdRequirement {
  const { kind } = hyperConverged;
  return { kind, group, versions: ["v1", "v1beta1"], shown: `${group}.v1beta1`, remedy };
}

/** The content of its spec in each version of the API. */
export function hcoForms({ v1beta1, v1 }: Readonly<Record<"v1beta1" | "v1", FieldsForm>>): readonly ObjectForm[] {
  return [
    { apiVersion: `${group}/v1beta1`, spec: v1beta1 },
    { apiVersion: `${group}/v1`, spec: v1 },
  ];
}

/** What v1beta1 has in `spec`, v1 has in `spec.virtualization`. */
export function valuesPath(apiVersion: string): readonly string[] {
  return apiVersion === `${group}/v1beta1` ? ["spec"] : ["spec", "virtualization"];
}

/** Returns the dotted field of a value in each version. */
export function fieldsOfHco(field: string): readonly string[] {
  return ["v1beta1", "v1"].map((version) => [...valuesPath(`${group}/${version}`), field].join("."));
}

export function hcoValue(object: KubeObject | undefined, ...keys: readonly string[]): Json | undefined {
  return object === undefined ? undefined : at(object, ...valuesPath(object.apiVersion), ...keys);
}
