// The port of the engine on a real cluster: predict, apply and remove, with what must still be true of the object.

import {
  type Cluster,
  completeConflict,
  type Expect,
  type KubeObject,
  type Outcome,
  type Ref,
  readOwners,
  type Write,
} from "@virt/engine";
import type { Sender } from "./client.ts";
import type { Discovery } from "./discovery.ts";
import { type Reading, readingOf, type Writing, writingOf } from "./outcome.ts";
import { deleteObject, getObject, type Place, patchObject, type Resource } from "./request.ts";

export type ClusterParts = {
  readonly client: Sender;
  readonly discovery: Discovery;
  /** The fence of the controller that writes. */
  readonly mayWrite: () => boolean;
};

type Kind = Pick<Ref, "apiVersion" | "kind">;

/** Bound to the signal of one pass. */
export function clusterFor({ client, discovery, mayWrite }: ClusterParts, signal: AbortSignal): Cluster & Reader {
  const sending = { signal, mayWrite };
  const apply = (desired: KubeObject, write: Write, isDryRun: boolean) =>
    withResource(desired, async (resource): Promise<Outcome> => {
      const { manager: fieldManager, expect } = write;
      const manner = {
        type: "apply",
        fieldManager,
        force: write.force && expect !== "absent",
        isDryRun,
        isStrict: true,
      } as const;
      const body = { ...desired, metadata: { ...desired.metadata, ...identity(expect) } };
      const answer = await client.send(patchObject(resource, placeOf(desired.metadata), body, manner), sending);
      return complete(writingOf(answer), () => get(resource, desired.metadata));
    });
  const get = async (resource: Resource, at: Place) =>
    readingOf(await client.send(getObject(resource, placeOf(at)), sending));

  async function withResource<T extends Outcome | Reading>(of: Kind, use: (resource: Resource) => Promise<T>) {
    const found = await discovery.place(of, signal, client);
    if (found.kind !== "served")
      return found.kind === "not-served" ? ({ kind: "missing", what: "kind" } as const) : found;
    const outcome = await use(found.resource);
    if (outcome.kind === "missing" && outcome.what === "kind") discovery.lose(of);
    return outcome;
  }

  return {
    read: (ref) => withResource(ref, (resource) => get(resource, ref)),
    predict: (desired, write) => apply(desired, write, true),
    apply: (desired, write) => apply(desired, write, false),
    remove: (target, { expect }) =>
      withResource(target, async (resource): Promise<Outcome> => {
        if (expect === "absent" || expect === "anything")
          throw new Error(`a removal of ${target.name} must name the object's uid`);
        const answer = await client.send(deleteObject(resource, placeOf(target), { preconditions: expect }), sending);
        const writing = writingOf(answer);
        return writing.kind === "absent" ? { kind: "done" } : complete(writing, () => get(resource, target));
      }),
  };
}

export type Reader = { readonly read: (ref: Ref) => Promise<Reading> };

/** With the version alone a deleted object would be created again, so it never goes without the uid. */
function identity(expect: Expect): { readonly uid?: string; readonly resourceVersion?: string } {
  return typeof expect === "string" ? {} : expect;
}

function placeOf({ namespace, name }: Place): Place {
  return { ...(namespace && { namespace }), ...(name && { name }) };
}

async function complete(writing: Writing, readLive: () => Promise<Reading>): Promise<Outcome> {
  if (writing.kind === "absent") return { kind: "stale" }; // it went while we wrote
  if (writing.kind !== "conflict") return writing;
  // The answer names field and manager; how and when that manager came to the field stands in the live object.
  const live = await readLive();
  const owners = live.kind === "found" ? readOwners(live.object) : [];
  return { kind: "conflict", conflicts: writing.conflicts.map((bare) => completeConflict(bare, owners)) };
}
