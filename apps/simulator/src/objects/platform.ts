// What a cluster has once: its topology, its scheduler, HCO, the descheduler, and the namespaces of all that.

import type { JsonMap, KubeObject } from "@virt/engine";
import { letters } from "../chance.ts";
import type { HcoPlan, Scenario } from "../scenario.ts";

export function namespacesOf({ vms, hco, descheduler, objects }: Scenario): readonly KubeObject[] {
  const names = [
    ...vms.map(({ namespace }) => namespace),
    ...objects.flatMap(({ metadata }) => metadata.namespace ?? []),
    ...[hco, descheduler].flatMap((plan) => plan?.namespace ?? []),
  ];
  return [...new Set(names)].map((name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } }));
}

export function infrastructureOf({ topology, platform, nodes }: Scenario, seed: number): KubeObject {
  const workers = nodes.filter(({ roles }) => roles.includes("worker")).reduce((sum, { count }) => sum + count, 0);
  return {
    apiVersion: "config.openshift.io/v1",
    kind: "Infrastructure",
    metadata: { name: "cluster" },
    spec: { platformSpec: { type: platform } },
    status: {
      infrastructureName: `sim-${letters(5, seed, "infrastructure")}`,
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

/** Fields of HCO that are used here stand under `spec.virtualization` in v1. */
export function inHco(apiVersion: string, fields: JsonMap): JsonMap {
  return apiVersion === "hco.kubevirt.io/v1" ? { virtualization: fields } : fields;
}

export function hyperConvergedOf(plan: HcoPlan, apiVersion: string): KubeObject {
  const { namespace, memoryOvercommitPercentage, liveMigrationConfig, annotations = {} } = plan;
  const fields = {
    ...(memoryOvercommitPercentage !== undefined && { higherWorkloadDensity: { memoryOvercommitPercentage } }),
    ...(liveMigrationConfig !== undefined && { liveMigrationConfig }),
  };
  return {
    apiVersion,
    kind: "HyperConverged",
    metadata: { name: "kubevirt-hyperconverged", namespace, annotations },
    spec: Object.keys(fields).length === 0 ? {} : inHco(apiVersion, fields),
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
