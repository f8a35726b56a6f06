// Waits until an overlay's Deployments are rolled out, and reports what blocks them.

import { setTimeout as wait } from "node:timers/promises";
import { startProgress } from "../progress.ts";
import { findCrdFault } from "./install.ts";
import type { Cluster } from "./kubectl.ts";
import { controllersOf } from "./manifests.ts";
import { type Condition, faultsOfConditions, faultsOfPod, type Pod, type PodFault } from "./pod-faults.ts";

export type DeploymentRef = { readonly name: string; readonly namespace: string };

export function deploymentsOf(overlay: string): readonly DeploymentRef[] {
  return controllersOf(overlay).map((controller) => ({
    name: `virt-${controller}-operator-controller-manager`,
    namespace: `virt-${controller}-operator-system`,
  }));
}

type Deployment = {
  readonly metadata: { readonly generation: number };
  readonly spec: { readonly replicas?: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
    readonly conditions?: readonly Condition[];
  };
};

type Remainder = { readonly progress: string; readonly faults: readonly PodFault[] };

/** Throws if a Deployment is not available in time. The error names the faults of its pods. */
export async function waitForRollout(cluster: Cluster, overlay: string, timeoutMs: number): Promise<void> {
  const deadline = AbortSignal.timeout(timeoutMs);
  for (const deployment of deploymentsOf(overlay)) {
    const progress = startProgress(`rollout of ${deployment.name}`, process.stderr);
    let left = findRemainder(cluster, deployment, overlay);
    while (left !== undefined) {
      if (deadline.aborted) {
        progress.fail();
        throw new Error(timedOut(deployment, left, timeoutMs));
      }
      progress.update([left.progress, ...left.faults.map(({ what }) => what)].join("; "));
      await wait(1000);
      left = findRemainder(cluster, deployment, overlay);
    }
    progress.done("");
  }
}

function findRemainder(cluster: Cluster, { name, namespace }: DeploymentRef, overlay: string): Remainder | undefined {
  const found = cluster.ask("get", "deployment", name, `--namespace=${namespace}`, "--output=json");
  const { metadata, spec, status = {} } = JSON.parse(found) as Deployment;
  const wanted = spec.replicas ?? 1;
  const { replicas = 0, updatedReplicas: updated = 0, availableReplicas: available = 0, conditions = [] } = status;
  if ((status.observedGeneration ?? 0) < metadata.generation)
    return { progress: "the Deployment has not been observed yet", faults: [] };
  if (updated === wanted && available === wanted && replicas === wanted) return undefined;
  const selector = "--selector=control-plane=controller-manager";
  const pods = cluster.ask("get", "pods", `--namespace=${namespace}`, selector, "--output=json");
  const { items } = JSON.parse(pods) as { items: readonly Pod[] };
  const crd = controllersOf(overlay).includes("advisor") ? findCrdFault(cluster) : undefined;
  return {
    progress: `${Math.min(updated, available)} of ${wanted} replicas available`,
    faults: [...(crd ? [crd] : []), ...faultsOfConditions(conditions, namespace), ...items.flatMap(faultsOfPod)],
  };
}

function timedOut({ name, namespace }: DeploymentRef, { progress, faults }: Remainder, timeoutMs: number): string {
  const events = `kubectl -n ${namespace} describe deployment ${name}; kubectl -n ${namespace} get events`;
  return [
    `Deployment ${namespace}/${name} is not available after ${timeoutMs / 1000} seconds: ${progress}.`,
    ...faults.flatMap(({ what, next }) => [`  ${what}`, `    Next: ${next}`]),
    `  See: ${events}`,
    "  The rollout continues once the cause is fixed; make undeploy removes the operators. A simulated cluster does not run pods: use make deploy-local there.",
  ].join("\n");
}
