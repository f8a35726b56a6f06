// Sends the writes of simulated controllers, in order, as minimal patches. Waits for each until the informers show it.

import {
  type ApiWriter,
  createObject,
  type Discovery,
  deleteObject,
  type InformerState,
  patchObject,
  type Resource,
  type WriteRequest,
  writeResultOf,
} from "@virt/kube";
import { entriesOf, equalJson, isMap, type Json, type JsonMap, type KubeObject, member } from "@virt/objects";

/**
 * `event` is printed if the object had to be changed. `key` is recorded once the object has the required state. `apply`
 * is a forced server-side apply, and is sent every time a controller returns it.
 */
export type ObjectWrite = { readonly manager: string; readonly event?: string; readonly key?: string } & (
  | { readonly kind: "create" | "apply"; readonly object: KubeObject }
  | { readonly kind: "set"; readonly object: KubeObject; readonly fields: JsonMap; readonly isStatus?: boolean }
  | { readonly kind: "delete"; readonly object: KubeObject }
);

/** Returns the merge patch that changes the live fields to the wanted ones, or undefined. Null removes a field. */
export function patchFor(live: Json | undefined, wanted: JsonMap): JsonMap | undefined {
  const changes = entriesOf(wanted).flatMap(([key, value]): readonly (readonly [string, Json])[] => {
    const present = member(live, key);
    if (value === null) return present === undefined || present === null ? [] : [[key, null]];
    if (!isMap(value) || !isMap(present)) return equalJson(present, value) ? [] : [[key, value]];
    const inner = patchFor(present, value);
    return inner === undefined ? [] : [[key, inner]];
  });
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}

type ApplyWritesOptions = {
  readonly sender: ApiWriter;
  readonly discovery: Discovery;
  readonly signal: AbortSignal;
  readonly informerOf: (object: KubeObject) => InformerState | undefined;
};

/** The result of a write. `isFinal`: a retry cannot help. `isMoot`: the object has changed in the meantime. */
export type AppliedWrite = {
  readonly write: ObjectWrite;
  readonly failure?: string;
  readonly isFinal?: boolean;
  readonly isMoot?: boolean;
};

/** Applies writes in parallel by kind, and in order within a kind. */
export async function applyWrites(
  writes: readonly ObjectWrite[],
  options: ApplyWritesOptions,
): Promise<readonly AppliedWrite[]> {
  const kinds = [...new Set(writes.map(({ object }) => object.kind))];
  const byKind = await Promise.all(
    kinds.map((kind) =>
      applyInOrder(
        writes.filter(({ object }) => object.kind === kind),
        options,
      ),
    ),
  );
  return byKind.flat().toSorted((left, right) => writes.indexOf(left.write) - writes.indexOf(right.write));
}

export function needsWrite(write: ObjectWrite): boolean {
  return write.kind !== "set" || patchFor(write.object, write.fields) !== undefined;
}

async function applyInOrder(
  writes: readonly ObjectWrite[],
  options: ApplyWritesOptions,
): Promise<readonly AppliedWrite[]> {
  const applied: AppliedWrite[] = [];
  for (const write of writes) applied.push(await applyWrite(write, options)); // oxlint-disable-line no-await-in-loop -- the order matters
  await Promise.all(applied.flatMap(({ awaitInformer }: PendingWrite) => awaitInformer?.() ?? []));
  return applied;
}

type PendingWrite = AppliedWrite & { readonly awaitInformer?: () => Promise<void> };

async function applyWrite(write: ObjectWrite, options: ApplyWritesOptions): Promise<PendingWrite> {
  const { sender, discovery, signal } = options;
  const found = await discovery.find(write.object, signal);
  if (found.kind !== "served") return { write: write, failure: `${write.object.kind} is not served` };
  const outcome = writeResultOf(await sender.write(requestFor(write, found.resource), { signal }));
  const name = `${write.kind} ${write.object.kind} ${write.object.metadata.name}`;
  switch (outcome.kind) {
    case "done":
      return { write: write, awaitInformer: () => awaitInformer(write, outcome.live, options) };
    case "stale":
    case "absent":
      return { write: write, isMoot: true }; // the object already exists or is gone; the next round handles it
    case "missing":
    case "unavailable":
      return {
        write: write,
        failure: `cannot ${name}: ${outcome.kind === "missing" ? outcome.what : outcome.message}`,
      };
    case "rejected":
      return { write: write, failure: `cannot ${name}: ${outcome.message}`, isFinal: true };
    case "conflict":
      return { write: write, failure: `cannot ${name}: another manager has it` };
  }
}

function requestFor(write: ObjectWrite, resource: Resource): WriteRequest {
  const { name, namespace, uid = "" } = write.object.metadata;
  const index = { name, ...(namespace !== undefined && { namespace }) };
  const manner = { fieldManager: write.manager };
  switch (write.kind) {
    case "create":
      return createObject(resource, { ...(namespace !== undefined && { namespace }) }, write.object, manner);
    case "delete":
      return deleteObject(resource, index, { preconditions: { uid } });
    case "apply":
      return patchObject(resource, index, write.object, { ...manner, type: "apply", force: true });
    case "set": {
      const body = patchFor(write.object, write.fields) ?? {};
      const target = { ...index, ...(write.isStatus === true && { subresource: "status" }) };
      return patchObject(resource, target, body, { ...manner, type: "merge" });
    }
  }
}

// Waits for the informer, because the next round would otherwise act on stale objects.
async function awaitInformer(
  { kind, object }: ObjectWrite,
  live: KubeObject | undefined,
  { informerOf, signal }: ApplyWritesOptions,
): Promise<void> {
  const store = informerOf(object)?.store;
  if (store === undefined) return;
  const version = live?.metadata.resourceVersion;
  if (kind !== "delete" && version !== undefined) return store.contains(version, signal);
  const gone = Promise.withResolvers<void>();
  const isThere = () =>
    [...store.items()].some(
      ({ metadata }) => metadata.uid === object.metadata.uid && metadata["deletionTimestamp"] === undefined,
    );
  const check = () => (isThere() && !signal.aborted ? undefined : gone.resolve());
  const leave = store.subscribe(check);
  signal.addEventListener("abort", check, { once: true });
  check();
  await gone.promise;
  leave();
}
