// The port of the engine on a real cluster: dry run, apply and remove, with what must still be true of the object.

import {
  type Cluster,
  completeConflict,
  type DryRunOutcome,
  type ExpectedVersion,
  type KubeObject,
  type Outcome,
  type Ref,
  readOwners,
  type Write,
} from "@virt/objects";
import type { Sender, Writer } from "./client.ts";
import type { Discovery } from "./discovery.ts";
import { type ReadResult, readResultOf, type WriteResult, writeResultOf } from "./outcome.ts";
import { deleteObject, getObject, type ObjectPlace, patchObject, type Resource } from "./request.ts";

export type ClusterOptions = { readonly writer: Writer; readonly discovery: Discovery };

export type ReaderOptions = { readonly sender: Sender; readonly discovery: Discovery };

type KindRef = Pick<Ref, "apiVersion" | "kind">;

/** Reads the live object from the server, never from a cache. */
export type Reader = { readonly read: (ref: Ref) => Promise<ReadResult> };

/** Reads live objects, bound to a signal. Never writes. */
export function readerFor({ sender, discovery }: ReaderOptions, signal: AbortSignal): Reader {
  return {
    read: (ref) =>
      withResource(ref, { sender, discovery, signal }, (resource) => read(resource, ref, { sender, signal })),
  };
}

/** Bound to the signal of one reconcile. */
export function clusterFor({ writer, discovery }: ClusterOptions, signal: AbortSignal): Cluster & Reader {
  const call = { sender: writer, discovery, signal };
  const apply = async (resource: Resource, desired: KubeObject, write: Write, isDryRun: boolean): Promise<Outcome> => {
    const { manager: fieldManager, expect } = write;
    const manner = {
      type: "apply",
      fieldManager,
      force: write.force && expect !== "absent",
      isDryRun,
      isStrict: true,
    } as const;
    const body = { ...desired, metadata: { ...desired.metadata, ...identity(expect) } };
    const answer = await writer.write(patchObject(resource, placeOf(desired.metadata), body, manner), { signal });
    return outcomeOf(writeResultOf(answer));
  };
  return {
    ...readerFor(call, signal),
    dryRunApply: (desired, write) =>
      withResource(desired, call, async (resource) => {
        const outcome = await apply(resource, desired, write, true);
        return withOwners(outcome, () => read(resource, desired.metadata, call));
      }),
    apply: (desired, write) => withResource(desired, call, (resource) => apply(resource, desired, write, false)),
    remove: (target, { expect }) =>
      withResource(target, call, async (resource): Promise<Outcome> => {
        if (expect === "absent" || expect === "anything")
          throw new Error(`a removal of ${target.name} must name the object's uid`);
        const answer = await writer.write(deleteObject(resource, placeOf(target), { preconditions: expect }), {
          signal,
        });
        const writing = writeResultOf(answer);
        return writing.kind === "absent" ? { kind: "done" } : outcomeOf(writing);
      }),
  };
}

type ClusterCall = ReaderOptions & { readonly signal: AbortSignal };

async function withResource<T extends Outcome | ReadResult>(
  of: KindRef,
  { sender, discovery, signal }: ClusterCall,
  use: (resource: Resource) => Promise<T>,
) {
  const found = await discovery.place(of, signal, sender);
  if (found.kind !== "served")
    return found.kind === "not-served" ? ({ kind: "missing", what: "kind" } as const) : found;
  const outcome = await use(found.resource);
  if (outcome.kind === "missing" && outcome.what === "kind") discovery.forgetPlace(of);
  return outcome;
}

async function read(resource: Resource, at: ObjectPlace, { sender, signal }: Pick<ClusterCall, "sender" | "signal">) {
  return readResultOf(await sender.send(getObject(resource, placeOf(at)), { signal }));
}

/** With the version alone a deleted object would be created again, so it never goes without the uid. */
function identity(expect: ExpectedVersion): { readonly uid?: string; readonly resourceVersion?: string } {
  return typeof expect === "string" ? {} : expect;
}

function placeOf({ namespace, name }: ObjectPlace): ObjectPlace {
  return { ...(namespace && { namespace }), ...(name && { name }) };
}

function outcomeOf(writing: WriteResult): Outcome {
  return writing.kind === "absent" ? { kind: "stale" } : writing; // it was deleted while we wrote
}

/** Reads the live object if there are conflicts. Only dry runs pay for it: their conflicts are shown, those of a write are not. */
async function withOwners(outcome: Outcome, readLive: () => Promise<ReadResult>): Promise<DryRunOutcome> {
  if (outcome.kind !== "conflict") return outcome;
  const live = await readLive();
  const owners = live.kind === "found" ? readOwners(live.object) : [];
  return { kind: "conflict", conflicts: outcome.conflicts.map((bare) => completeConflict(bare, owners)) };
}
