import type { Json, JsonMap, KubeObject } from "@virt/api";
import { nodeHealthCheckRef, selfNodeTemplate } from "../../../node-health-check.ts";
import { type AvailabilityFacts, fenceAgentsTemplate } from "../facts.ts";

const role = (name: string) => `node-role.kubernetes.io/${name}`;

/** Returns nodes with these roles, for example `["worker", "control-plane"]`. */
export function nodesWith(
  ...roles: readonly (readonly string[])[]
): Pick<AvailabilityFacts, "nodeRoles" | "nodeLabels"> {
  const labels = roles.map((each) => Object.fromEntries(each.map((name) => [role(name), ""])));
  return {
    nodeLabels: labels.map((own, at) => ({ ...own, "kubernetes.io/hostname": `node-${at}` })),
    nodeRoles: labels.map((own, at) => ({
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: `node-${at}`, labels: own },
    })),
  };
}

export const controlPlane = ["control-plane", "master"];
export const workers = (count: number) => Array.from({ length: count }, () => ["worker"]);

/** Three workers, three control plane nodes, and the self node remediation template in its usual namespace. */
export function factsWith(changed: Partial<AvailabilityFacts> = {}): AvailabilityFacts {
  const hco = { apiVersion: "hco.kubevirt.io/v1", kind: "HyperConverged" };
  return {
    hco: {
      apiVersion: hco.apiVersion,
      namespace: "openshift-cnv",
      object: { ...hco, metadata: { name: "kubevirt-hyperconverged", namespace: "openshift-cnv" } },
    },
    own: undefined,
    preferredTemplate: templateIn("openshift-workload-availability"),
    otherTemplate: undefined,
    fenceTemplates: [],
    checks: [],
    machineChecks: [],
    ...nodesWith(...workers(3), controlPlane, controlPlane, controlPlane),
    ownNamespace: "virt-advisor-operator-system",
    ...changed,
  };
}

export function templateIn(namespace: string): KubeObject {
  const { apiVersion, kind, name } = selfNodeTemplate;
  return { apiVersion, kind, metadata: { name, namespace } };
}

export function fenceTemplate(
  name = "fenceagentsremediationtemplate-default",
  namespace = "openshift-workload-availability",
): KubeObject {
  return { ...fenceAgentsTemplate, metadata: { name, namespace } };
}

export function checkNamed(name: string, selector?: Json): KubeObject {
  const { apiVersion, kind } = nodeHealthCheckRef;
  return { apiVersion, kind, metadata: { name }, ...(selector !== undefined && { spec: { selector } }) };
}

/** Returns the profile's check with these fields of `spec`, each owned by its managers. */
export function ownCheck(spec: JsonMap, managers: Readonly<Record<string, readonly string[]>>): KubeObject {
  const { apiVersion, kind, name } = nodeHealthCheckRef;
  const managedFields = Object.entries(managers).map(([manager, fields]) => ({
    manager,
    operation: "Apply",
    apiVersion,
    fieldsType: "FieldsV1",
    fieldsV1: { "f:spec": Object.fromEntries(fields.map((field) => [`f:${field}`, {}])) },
  }));
  return { apiVersion, kind, metadata: { name, managedFields }, spec };
}

export function machineCheck(name: string, type: string): KubeObject {
  const metadata = { name, namespace: "openshift-machine-api" };
  const unhealthyConditions = [{ type, status: "True", timeout: "0s" }];
  return {
    apiVersion: "machine.openshift.io/v1beta1",
    kind: "MachineHealthCheck",
    metadata,
    spec: { unhealthyConditions },
  };
}
