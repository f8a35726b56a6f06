import type { JsonMap } from "@virt/api";
import { workerPool } from "../../../testing/machine-config-pools.ts";
import type { DensityFacts } from "../facts.ts";

export type HcoVersion = "v1" | "v1beta1";

export function factsWith(changed: Partial<DensityFacts>): DensityFacts {
  return {
    hco: hcoWith("v1", {}),
    waspAgent: undefined,
    nodes: [{ zone: "a" }, { zone: "b" }],
    pools: [workerPool()],
    swapConfig: undefined,
    masterSwapConfig: undefined,
    vmNodes: { roles: ["worker"], nodes: undefined },
    ownNamespace: "virt-advisor-operator-system",
    ...changed,
  };
}

export function hcoWith(version: HcoVersion, values: JsonMap, metadata: JsonMap = {}): DensityFacts["hco"] {
  const { apiVersion, namespace } = noHco(version);
  const spec = version === "v1" ? { virtualization: values } : values;
  const named = { ...metadata, name: "kubevirt-hyperconverged", namespace };
  return { apiVersion, namespace, object: { apiVersion, kind: "HyperConverged", metadata: named, spec } };
}

export function noHco(version: HcoVersion): DensityFacts["hco"] {
  return { apiVersion: `hco.kubevirt.io/${version}`, namespace: "openshift-cnv", object: undefined };
}
