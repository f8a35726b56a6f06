// Sends merge patches to a managed object: what an apply cannot do, or must not.

import { fieldManagers, type JsonMap, type KubeObject } from "@virt/api";
import type { Path, WriteResult } from "@virt/engine";
import { patchObject, type ReconcileContext, writeResultOf } from "@virt/kube";
import { type ManagedObject, removalPatch } from "@virt/platform";
import type { PlatformRuntime } from "./runtime.ts";

export type PatchTarget = {
  readonly object: Pick<ManagedObject, "ref">;
  readonly runtime: Pick<PlatformRuntime, "discovery">;
  readonly context: ReconcileContext;
  readonly isDryRun?: boolean;
};

/** Removes the members of maps that an apply would leave empty. Undefined: there are none. */
export async function removeMembers(
  members: readonly Path[],
  live: KubeObject | undefined,
  target: PatchTarget,
): Promise<WriteResult | undefined> {
  return members.length === 0 ? undefined : mergePatch(live, removalPatch(members), target);
}

/** Patches this very version of the object, but for dry runs. */
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
