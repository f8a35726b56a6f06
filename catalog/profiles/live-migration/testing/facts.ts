import type { JsonMap, KubeObject } from "@virt/api";
import type { MigrationFacts } from "../facts.ts";

export type HcoVersion = "v1" | "v1beta1";

export function factsWith(changed: Partial<MigrationFacts> = {}): MigrationFacts {
  return {
    hco: hcoWith("v1beta1", {}),
    policies: [],
    policySchema: {},
    networks: [],
    vmNodes: { roles: ["worker"], nodes: undefined },
    loadAware: { kind: "unknown" },
    ownNamespace: "virt-advisor-operator-system",
    ...changed,
  };
}

/** A HyperConverged with these migration settings and the defaults of the CRD. */
export function hcoWith(version: HcoVersion, given: JsonMap): MigrationFacts["hco"] {
  const { apiVersion, namespace } = noHco(version);
  const defaults = {
    parallelMigrationsPerCluster: 5,
    parallelOutboundMigrationsPerNode: 2,
    completionTimeoutPerGiB: 150,
    progressTimeout: 150,
  };
  const values = { liveMigrationConfig: { ...defaults, ...given } };
  const spec = version === "v1" ? { virtualization: values } : values;
  const metadata = { name: "kubevirt-hyperconverged", namespace };
  return { apiVersion, namespace, object: { apiVersion, kind: "HyperConverged", metadata, spec } };
}

export function noHco(version: HcoVersion): MigrationFacts["hco"] {
  return { apiVersion: `hco.kubevirt.io/${version}`, namespace: "openshift-cnv", object: undefined };
}

export function policyWith(name: string, selectors: JsonMap): KubeObject {
  const apiVersion = "migrations.kubevirt.io/v1alpha1";
  return { apiVersion, kind: "MigrationPolicy", metadata: { name }, spec: { selectors } };
}

export function networkIn(namespace: string, name: string, config = "{}"): KubeObject {
  const apiVersion = "k8s.cni.cncf.io/v1";
  return { apiVersion, kind: "NetworkAttachmentDefinition", metadata: { namespace, name }, spec: { config } };
}
