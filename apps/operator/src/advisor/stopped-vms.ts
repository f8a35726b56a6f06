// Finds VMs that stay stopped after a rollout. Ignores deleted VMs and VMs that KubeVirt restarts automatically.

import { readRunStrategy } from "@virt/cluster";
import type { ClusterReader } from "@virt/kube";
import { inLanes } from "@virt/reads";

/** The maximum number of reads. VMs beyond this limit are reported as stopped without a check. */
const mostReads = 50;

/** Returns the VMs, as namespace/name, that a user must start. Includes VMs that cannot be read. */
export async function withoutRestarting(stopped: readonly string[], reader: ClusterReader): Promise<readonly string[]> {
  const excused = new Set<string>();
  await inLanes(stopped.slice(0, mostReads), async (key) => {
    const [namespace = "", name = ""] = key.split("/", 2);
    const reading = await reader.read({ apiVersion: "kubevirt.io/v1", kind: "VirtualMachine", namespace, name });
    const isStarted = reading.kind === "found" && readRunStrategy(reading.object) === "Always";
    if (isStarted || reading.kind === "absent") excused.add(key);
  });
  return stopped.filter((key) => !excused.has(key));
}
