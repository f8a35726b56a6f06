// Lets go of an object for good: its values stay, held by nobody in particular, and our label and memory go.

import { fieldManagers, type KubeObject } from "@virt/api";
import { appliedBy, type Cluster, leavesOf, type Outcome, readOwners } from "@virt/engine";
import { handOverObject, isState, releasedManager } from "@virt/platform";

const manager = fieldManagers.platform;

export async function letGo(live: KubeObject, cluster: Pick<Cluster, "apply">): Promise<Outcome> {
  const { uid, resourceVersion, name, namespace } = live.metadata;
  if (uid === undefined || resourceVersion === undefined) return { kind: "stale" };
  const own = leavesOf(appliedBy(readOwners(live), manager)).filter((path) => !isState(path) && path[1] !== "f:labels");
  const write = { force: false, expect: { uid, resourceVersion } };
  const handed = await cluster.apply(handOverObject(live, own), { ...write, manager: releasedManager });
  if (handed.kind !== "done") return handed;
  const { apiVersion, kind } = live;
  const bare = { apiVersion, kind, metadata: { name, ...(namespace && { namespace }) } };
  return cluster.apply(bare, { manager, force: false, expect: { uid } });
}
