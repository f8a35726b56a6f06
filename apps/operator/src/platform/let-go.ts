// Lets go of an object for good: its values stay, held by nobody in particular, and our label and memory go.

import { fieldManagers, type KubeObject, managedByLabel } from "@virt/api";
import { appliedBy, type Cluster, leavesOf, type Outcome, readOwners } from "@virt/engine";
import { handOverObject, isOwnLabel, isState, objectAnnotations, releasedManager } from "@virt/platform";

const manager = fieldManagers.platform;

export async function letGo(live: KubeObject, cluster: Pick<Cluster, "apply">): Promise<Outcome> {
  const own = leavesOf(appliedBy(readOwners(live), manager)).filter((path) => !isState(path) && !isOwnLabel(path));
  const handed = await next(live, handOverObject(live, own), { cluster, manager: releasedManager });
  if (!isThere(handed)) return handed;
  const left = await next(handed.live, bare(live), { cluster, manager });
  if (!isThere(left) || !isMarked(left.live)) return left;
  // Others own our marks, too, as we do after a pause, which is no apply. With another value they are this owner's alone.
  const seized = await next(left.live, unmarked(left.live), { cluster, manager, force: true });
  return isThere(seized) ? next(seized.live, bare(live), { cluster, manager }) : seized;
}

type Sending = { readonly cluster: Pick<Cluster, "apply">; readonly manager: string; readonly force?: true };

/** Applies it to this very version of the object. */
async function next(
  { metadata: { uid, resourceVersion } }: KubeObject,
  desired: KubeObject,
  { cluster, manager: by, force }: Sending,
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
