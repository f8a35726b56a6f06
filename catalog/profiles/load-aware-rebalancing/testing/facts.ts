import type { JsonMap, KubeObject } from "@virt/api";
import { workerPool } from "../../../testing/machine-config-pools.ts";
import { deschedulerRef, type LoadAwareFacts } from "../facts.ts";

export function factsWith(changed: Partial<LoadAwareFacts>): LoadAwareFacts {
  return {
    hco: { apiVersion: "hco.kubevirt.io/v1", namespace: "openshift-cnv", object: undefined },
    deschedulerSchema: undefined,
    descheduler: undefined,
    prometheusRoute: { kind: "unknown" },
    deschedulerNamespace: { kind: "unknown" },
    psiConfig: undefined,
    masterPsiConfig: undefined,
    workerKernel: [["quiet"]],
    masterKernel: [],
    vmNodes: { roles: ["worker"], nodes: undefined },
    pools: [workerPool()],
    ownNamespace: "virt-advisor-operator-system",
    ...changed,
  };
}

export function deschedulerWith(spec: JsonMap): KubeObject {
  const { apiVersion, kind, name, namespace } = deschedulerRef;
  return { apiVersion, kind, metadata: { name, namespace }, spec };
}

export function hcoWith(version: "v1" | "v1beta1", liveMigrationConfig: JsonMap): LoadAwareFacts["hco"] {
  const apiVersion = `hco.kubevirt.io/${version}`;
  const namespace = "openshift-cnv";
  const spec = version === "v1" ? { virtualization: { liveMigrationConfig } } : { liveMigrationConfig };
  const metadata = { name: "kubevirt-hyperconverged", namespace };
  return { apiVersion, namespace, object: { apiVersion, kind: "HyperConverged", metadata, spec } };
}
