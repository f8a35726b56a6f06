// Reads and writes objects of a cluster: dry runs, server-side applies, and removals with preconditions.

import {
  completeConflict,
  type DryRunOutcome,
  type ExpectedVersion,
  type KubeObject,
  type Outcome,
  type Ref,
  readOwners,
  type Write,
  type WriteResult,
} from "@virt/objects";
import type { ApiReader, ApiWriter } from "./api-client.ts";
import type { Discovery } from "./discovery.ts";
import { type ReadResult, readResultOf, writeResultOf } from "./outcome.ts";
import { deleteObject, getObject, type ObjectPlace, patchObject, type Resource } from "./request.ts";

/** Reads and writes objects without a cache. Expected outcomes are values. Bound to one AbortSignal. */
export type Cluster = {
  readonly read: (ref: Ref) => Promise<ReadResult>;
  readonly dryRunApply: (desired: KubeObject, write: Write) => Promise<DryRunOutcome>;
  readonly apply: (desired: KubeObject, write: Write) => Promise<Outcome>;
  readonly remove: (target: Ref, write: Write) => Promise<Outcome>;
};

/** A cluster that can only be read. */
export type ClusterReader = Pick<Cluster, "read">;

type ObjectClient<C extends ApiReader> = { readonly client: C; readonly discovery: Discovery };

type KindRef = Pick<Ref, "apiVersion" | "kind">;

/** Returns a reader that resolves kinds by discovery. Requests fail once the signal is aborted. */
export function readerFor({ client, discovery }: ObjectClient<ApiReader>, signal: AbortSignal): ClusterReader {
  return {
    read: (ref) =>
      withResource(ref, { client, discovery, signal }, (resource) => read(resource, ref, { client, signal })),
  };
}

/** Returns a cluster that resolves kinds by discovery. Requests fail once the signal is aborted. */
export function clusterFor({ client, discovery }: ObjectClient<ApiWriter>, signal: AbortSignal): Cluster {
  const call = { client, discovery, signal };
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
    const answer = await client.write(patchObject(resource, placeOf(desired.metadata), body, manner), { signal });
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
          throw new Error(`a removal of ${target.name} must include the object's uid`);
        const answer = await client.write(deleteObject(resource, placeOf(target), { preconditions: expect }), {
          signal,
        });
        const writing = writeResultOf(answer);
        return writing.kind === "absent" ? { kind: "done" } : outcomeOf(writing);
      }),
  };
}

type ClusterCall = ObjectClient<ApiReader> & { readonly signal: AbortSignal };

async function withResource<T extends Outcome | ReadResult>(
  of: KindRef,
  { client, discovery, signal }: ClusterCall,
  use: (resource: Resource) => Promise<T>,
) {
  const found = await discovery.place(of, signal, client);
  if (found.kind !== "served")
    return found.kind === "not-served" ? ({ kind: "missing", what: "kind" } as const) : found;
  const outcome = await use(found.resource);
  if (outcome.kind === "missing" && outcome.what === "kind") discovery.forgetPlace(of);
  return outcome;
}

async function read(resource: Resource, at: ObjectPlace, { client, signal }: Pick<ClusterCall, "client" | "signal">) {
  return readResultOf(await client.send(getObject(resource, placeOf(at)), { signal }));
}

/** Never sends a version without the uid, because the server would then re-create a deleted object. */
function identity(expect: ExpectedVersion): { readonly uid?: string; readonly resourceVersion?: string } {
  return typeof expect === "string" ? {} : expect;
}

function placeOf({ namespace, name }: ObjectPlace): ObjectPlace {
  return { ...(namespace && { namespace }), ...(name && { name }) };
}

function outcomeOf(writing: WriteResult): Outcome {
  return writing.kind === "absent" ? { kind: "stale" } : writing; // it was deleted during the write
}

/** Reads the live object for the owners of a conflict. Only for dry runs, because only their conflicts are shown. */
async function withOwners(outcome: Outcome, readLive: () => Promise<ReadResult>): Promise<DryRunOutcome> {
  if (outcome.kind !== "conflict") return outcome;
  const live = await readLive();
  const owners = live.kind === "found" ? readOwners(live.object) : [];
  return { kind: "conflict", conflicts: outcome.conflicts.map((bare) => completeConflict(bare, owners)) };
}
