// Building blocks for clusters with exactly one finding.

import type { JsonMap, KubeObject } from "@virt/api";
import { poolObject, vmObject } from "../../testing/cluster-builder.ts";
import type { findingCatalogue } from "../catalogue.ts";
import { migrationObject, type RolloutGiven, reportOf, rollingNode, rollingPool } from "./rollout-builder.ts";

/** A cluster with exactly one finding, and the expected texts. */
export type FindingWorld = {
  readonly id: keyof typeof findingCatalogue;
  readonly world: RolloutGiven;
  /** The seconds until the finding is reported. */
  readonly age: number;
  readonly severity?: string;
  readonly message: string;
  readonly command: string | undefined;
};

export const poolDescribed = "oc describe machineconfigpool worker";
export const vmDescribed = "oc describe virtualmachineinstance vm-0 -n vms";
export const mcdLog = "oc -n openshift-machine-config-operator logs deploy/machine-config-controller";

export const others = [rollingNode("worker-1", "Waiting"), rollingNode("worker-2", "Waiting")];
export const draining = [rollingNode("worker-0", "Draining"), ...others];
export const healthy: RolloutGiven = { nodes: draining, reports: [reportOf("worker-0", "")] };
export const poolWith = (spec: JsonMap, status: JsonMap = {}, generation = 2) => ({
  nodes: [...others, rollingNode("worker-0", "Waiting")],
  pools: [poolObject("master"), rollingPool(spec, status, generation)],
});
export const drainMessage = (message: string): RolloutGiven => ({
  nodes: draining,
  reports: [reportOf("worker-0", message)],
});
export const vmOn = (given: Parameters<typeof vmObject>[2] = {}, status: JsonMap = {}) =>
  vmObject("vm-0", "worker-0", { ...given, status: { evacuationNodeName: "worker-0", ...status } });
export const withVm = (vm: KubeObject, vmims: readonly KubeObject[] = [], more: RolloutGiven = {}): RolloutGiven => ({
  nodes: draining,
  vms: [vm],
  vmims,
  ...more,
});
export const degraded = (reason: string, state = "Degraded"): RolloutGiven => ({
  nodes: [rollingNode("worker-0", "Degraded", { reason, state }), ...others],
});
export const operator = (kind: string, conditions: readonly JsonMap[]): KubeObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name: "it", namespace: "virt" },
  status: { conditions },
});
export const hco = operator("HyperConverged", []);
export const budget = (name: string): KubeObject => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name, namespace: "shop" },
  spec: { selector: { matchLabels: { app: "db" } } },
  status: { disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 2 },
});
export const shopPod: KubeObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "db-0", namespace: "shop", labels: { app: "db" } },
};
export const deletedPod = (deletionTimestamp: string, deletionGracePeriodSeconds: number): KubeObject => ({
  ...shopPod,
  metadata: { ...shopPod.metadata, deletionTimestamp, deletionGracePeriodSeconds },
});
export const lanes = (phases: readonly string[]): RolloutGiven => ({
  nodes: draining,
  vms: phases.map((_, at) => vmObject(`vm-${at}`, "worker-0", { gib: 8 })),
  vmims: phases.map((phase, at) => migrationObject(`vm-${at}`, phase)),
});
export const oneDown = [rollingNode("worker-0", "Rebooting", { isReady: false }), ...others];
export const failedMigration = (at: number) =>
  migrationObject("vm-0", "Failed", {
    at,
    status: {
      phaseTransitionTimestamps: [{ phase: "Running" }],
      migrationState: { failureReason: "target\u0007lost" },
    },
  });
export const big = { gib: 250, vcpus: 2 };
