// Sends merge patches for changes that server-side apply cannot make.

import { fieldManagers, type JsonMap, type KubeObject } from "@virt/api";
import { patchObject, type ReconcileContext, writeResultOf } from "@virt/kube";
import type { Path, WriteResult } from "@virt/objects";
import { type ManagedObject, removalPatch } from "@virt/platform";
import type { PlatformRuntime } from "./runtime.ts";

export type PatchTarget = {
  readonly object: Pick<ManagedObject, "ref">;
  readonly runtime: Pick<PlatformRuntime, "discovery">;
  readonly context: ReconcileContext;
  readonly isDryRun?: boolean;
};

/** Removes fields that an apply would leave behind as empty maps. Returns undefined if there are none. */
export async function removeMembers(
  members: readonly Path[],
  live: KubeObject | undefined,
  target: PatchTarget,
): Promise<WriteResult | undefined> {
  return members.length === 0 ? undefined : mergePatch(live, removalPatch(members), target);
}

/** Patches the object only if it still has this resource version. A dry run ignores the version. */
export async function mergePatch(
  live: KubeObject | undefined,
  change: JsonMap,
  { object: { ref }, runtime, context, isDryRun = false }: PatchTarget,
): Promise<WriteResult> {
  const { resourceVersion } = live?.metadata ?? {};
  const found = await runtime.discovery.find(ref, context.signal, context.sender);
  if (found.kind === "not-served") return { kind: "missing", what: "kind" };
  if (found.kind === "unavailable") return found;
  if (resourceVersion === undefined) return { kind: "absent" };
  const place = { name: ref.name, ...(ref.namespace && { namespace: ref.namespace }) };
  const metadata = { ...(change["metadata"] as JsonMap | undefined), ...(!isDryRun && { resourceVersion }) };
  const manner = { type: "merge", fieldManager: fieldManagers.platform, isDryRun } as const;
  const request = patchObject(found.resource, place, { ...change, metadata }, manner);
  return writeResultOf(await context.sender.write(request, { signal: context.signal }));
}
