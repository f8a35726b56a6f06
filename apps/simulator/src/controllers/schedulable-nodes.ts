// Maintains KubeVirt's schedulable label. A node loses the label if it has not been ready for 5 minutes.

import type { ClusterState } from "../cluster-state.ts";
import { isReady } from "../node-state.ts";
import type { ObjectWrite } from "../object-writes.ts";
import type { SimulatedTimers } from "../simulated-timers.ts";

const schedulable = "kubevirt.io/schedulable";
const silenceMs = 300_000;

/** Updates the label. Nodes that never had it never run VMs, so they are skipped. */
export function reconcileSchedulableNodes(cluster: ClusterState, timers: SimulatedTimers): readonly ObjectWrite[] {
  if (cluster.servedVersion("VirtualMachineInstance") === undefined) return [];
  return cluster.list("Node").flatMap((node): readonly ObjectWrite[] => {
    const { name, labels = {} } = node.metadata;
    const isSilent = !isReady(node) && timers.hasElapsed(`silence ${name}`, silenceMs);
    const wanted = isSilent ? "false" : "true";
    if (labels[schedulable] === undefined || labels[schedulable] === wanted) return [];
    const fields = { metadata: { labels: { [schedulable]: wanted } } };
    return [{ kind: "set", object: node, fields, manager: isSilent ? "virt-controller" : "virt-handler" }];
  });
}
