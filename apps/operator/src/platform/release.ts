// Releases an object permanently: keeps its values, and removes the operator's label and state annotation.

import { fieldManagers, type KubeObject, managedByLabel } from "@virt/api";
import type { Cluster } from "@virt/kube";
import { appliedBy, leavesOf, type Outcome, readOwners } from "@virt/objects";
import { isOwnLabel, isState, objectAnnotations, releasedManager, transferObject } from "@virt/platform";

const manager = fieldManagers.platform;

export async function releaseObject(live: KubeObject, cluster: Pick<Cluster, "apply">): Promise<Outcome> {
  const own = leavesOf(appliedBy(readOwners(live), manager)).filter((path) => !isState(path) && !isOwnLabel(path));
  const transferred = await applyToVersion(live, transferObject(live, own), { cluster, manager: releasedManager });
  if (!isThere(transferred)) return transferred;
  const released = await applyToVersion(transferred.live, bare(live), { cluster, manager });
  if (!isThere(released) || !isMarked(released.live)) return released;
  // Other managers may co-own the label and the state annotation, for example after a pause. A forced apply takes them
  // over.
  const seized = await applyToVersion(released.live, unmarked(released.live), { cluster, manager, force: true });
  return isThere(seized) ? applyToVersion(seized.live, bare(live), { cluster, manager }) : seized;
}

type ReleaseOptions = { readonly cluster: Pick<Cluster, "apply">; readonly manager: string; readonly force?: true };

/** Applies only if the object still has this resource version. */
async function applyToVersion(
  { metadata: { uid, resourceVersion } }: KubeObject,
  desired: KubeObject,
  { cluster, manager: by, force }: ReleaseOptions,
): Promise<Outcome> {
  if (uid === undefined || resourceVersion === undefined) return { kind: "stale" };
  return cluster.apply(desired, { manager: by, force: force === true, expect: { uid, resourceVersion } });
}

function isThere(outcome: Outcome): outcome is Outcome & { readonly kind: "done"; readonly live: KubeObject } {
  return outcome.kind === "done" && outcome.live !== undefined;
}

function bare({ apiVersion, kind, metadata: { name, namespace } }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata: { name, ...(namespace && { namespace }) } };
}

function isMarked({ metadata: { labels, annotations } }: KubeObject): boolean {
  return labels?.[managedByLabel.key] === managedByLabel.value || annotations?.[objectAnnotations.state] !== undefined;
}

function unmarked(live: KubeObject): KubeObject {
  const { metadata, ...rest } = bare(live);
  const marks = { labels: { [managedByLabel.key]: "" }, annotations: { [objectAnnotations.state]: "" } };
  return { ...rest, metadata: { ...metadata, ...marks } };
}
