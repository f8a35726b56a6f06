// A cluster for the tests of higher density, which change one fact of it.

import type { JsonMap } from "@virt/api";
import { workerPool } from "../pool-world.ts";
import type { DensityFacts } from "./facts.ts";

export type Version = "v1" | "v1beta1";

export function factsWith(changed: Partial<DensityFacts>): DensityFacts {
  return {
    hco: hcoWith("v1", {}),
    waspAgent: undefined,
    nodes: [{ zone: "a" }, { zone: "b" }],
    pools: [workerPool()],
    ownNamespace: "virt-advisor-operator-system",
    ...changed,
  };
}

/** A HyperConverged with these values, where its version has them. */
export function hcoWith(version: Version, values: JsonMap, metadata: JsonMap = {}): DensityFacts["hco"] {
  const { apiVersion, namespace } = noHco(version);
  const spec = version === "v1" ? { virtualization: values } : values;
  const named = { ...metadata, name: "kubevirt-hyperconverged", namespace };
  return { apiVersion, namespace, object: { apiVersion, kind: "HyperConverged", metadata: named, spec } };
}

export function noHco(version: Version): DensityFacts["hco"] {
  return { apiVersion: `hco.kubevirt.io/${version}`, namespace: "openshift-cnv", object: undefined };
}
