// The objects that exist once per cluster: topology, scheduler, HCO, descheduler and namespaces.

import type { JsonMap, KubeObject } from "@virt/objects";
import type { HcoSpec, Scenario } from "../scenario.ts";
import { seededSuffix } from "../seeded-random.ts";

export function namespacesOf({ vms, hco, descheduler, objects }: Scenario): readonly KubeObject[] {
  const names = [
    ...vms.map(({ namespace }) => namespace),
    ...objects.flatMap(({ metadata }) => metadata.namespace ?? []),
    ...[hco, descheduler].flatMap((plan) => plan?.namespace ?? []),
  ];
  return [...new Set(names)].map((name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } }));
}

/** Pods need a service account, and no controller creates it here. */
export function serviceAccountOf(namespace: string): KubeObject {
  return { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default", namespace } };
}

export function infrastructureOf({ topology, platform, nodes }: Scenario, seed: number): KubeObject {
  const workers = nodes.filter(({ roles }) => roles.includes("worker")).reduce((sum, { count }) => sum + count, 0);
  return {
    apiVersion: "config.openshift.io/v1",
    kind: "Infrastructure",
    metadata: { name: "cluster" },
    spec: { platformSpec: { type: platform } },
    status: {
      infrastructureName: `sim-${seededSuffix(5, seed, "infrastructure")}`,
      controlPlaneTopology: topology,
      infrastructureTopology: workers > 1 ? "HighlyAvailable" : "SingleReplica",
      platform,
      platformStatus: { type: platform },
    },
  };
}

export function schedulerOf({ mastersSchedulable }: Scenario): KubeObject {
  return {
    apiVersion: "config.openshift.io/v1",
    kind: "Scheduler",
    metadata: { name: "cluster" },
    spec: { mastersSchedulable },
  };
}

/** In v1, these HCO fields are under `spec.virtualization`. */
export function hcoSpec(apiVersion: string, fields: JsonMap): JsonMap {
  return apiVersion === "hco.kubevirt.io/v1" ? { virtualization: fields } : fields;
}

export function hyperConvergedOf(plan: HcoSpec, apiVersion: string): KubeObject {
  const { namespace, memoryOvercommitPercentage, liveMigrationConfig, annotations = {} } = plan;
  const fields = {
    ...(memoryOvercommitPercentage !== undefined && { higherWorkloadDensity: { memoryOvercommitPercentage } }),
    ...(liveMigrationConfig !== undefined && { liveMigrationConfig }),
  };
  return {
    apiVersion,
    kind: "HyperConverged",
    metadata: { name: "kubevirt-hyperconverged", namespace, annotations },
    spec: Object.keys(fields).length === 0 ? {} : hcoSpec(apiVersion, fields),
  };
}

export function deschedulerOf({ descheduler }: Scenario): KubeObject | undefined {
  if (descheduler?.spec === undefined) return undefined;
  const { namespace, spec } = descheduler;
  return {
    apiVersion: "operator.openshift.io/v1",
    kind: "KubeDescheduler",
    metadata: { name: "cluster", namespace },
    spec,
  };
}

/** Returns the Deployment that OLM creates for the autopilot. The simulated autopilot runs while it has replicas. */
export function autopilotDeploymentOf({ hco, autopilot }: Scenario): KubeObject | undefined {
  if (hco === undefined || autopilot !== true) return undefined;
  const name = "virt-platform-autopilot";
  const selected = { app: name, "control-plane": "controller-manager" };
  const labels = { ...selected, "app.kubernetes.io/component": "autopilot" };
  const containers = [{ name: "manager", image: "registry.invalid/virt-platform-autopilot:simulated" }];
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: hco.namespace, labels },
    spec: {
      replicas: 1,
      selector: { matchLabels: selected },
      template: { metadata: { labels }, spec: { containers } },
    },
  };
}
