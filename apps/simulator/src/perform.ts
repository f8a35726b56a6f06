// Carries out wishes on the API server, and waits until the stores show what was written.

import type { KubeObject } from "@virt/engine";
import {
  type ApiRequest,
  createObject,
  type Discovery,
  deleteObject,
  patchObject,
  type Resource,
  type Sender,
  type Watch,
  writingOf,
} from "@virt/kube";
import { patchFor, type Wish } from "./wish.ts";

export type Hands = {
  readonly sender: Sender;
  readonly discovery: Discovery;
  readonly mayWrite: () => boolean;
  readonly signal: AbortSignal;
  /** The watch that will show the object, if there is one. */
  readonly watchOf: (object: KubeObject) => Watch | undefined;
};

/** `isFinal`: the server will say so again tomorrow. */
export type Deed = {
  readonly wish: Wish;
  readonly trouble?: string;
  readonly isFinal?: boolean;
  readonly isMoot?: boolean;
};

/** Wishes that differ from what is there; those of one kind one after the other, in their order. */
export async function perform(wishes: readonly Wish[], hands: Hands): Promise<readonly Deed[]> {
  const kinds = [...new Set(wishes.map(({ object }) => object.kind))];
  const lanes = await Promise.all(
    kinds.map((kind) =>
      lane(
        wishes.filter(({ object }) => object.kind === kind),
        hands,
      ),
    ),
  );
  return lanes.flat().toSorted((left, right) => wishes.indexOf(left.wish) - wishes.indexOf(right.wish));
}

/** Whether there is anything to be done for it. */
export function isOpen(wish: Wish): boolean {
  return wish.kind !== "set" || patchFor(wish.object, wish.fields) !== undefined;
}

async function lane(wishes: readonly Wish[], hands: Hands): Promise<readonly Deed[]> {
  const deeds: Deed[] = [];
  for (const wish of wishes) deeds.push(await carryOut(wish, hands)); // oxlint-disable-line no-await-in-loop -- in their order
  await Promise.all(deeds.flatMap(({ arrival }: Arriving) => arrival?.() ?? []));
  return deeds;
}

type Arriving = Deed & { readonly arrival?: () => Promise<void> };

async function carryOut(wish: Wish, hands: Hands): Promise<Arriving> {
  const { sender, discovery, signal, mayWrite } = hands;
  const found = await discovery.find(wish.object, signal);
  if (found.kind !== "served") return { wish, trouble: `${wish.object.kind} is not served` };
  const outcome = writingOf(await sender.send(requestFor(wish, found.resource), { signal, mayWrite }));
  const name = `${wish.kind} ${wish.object.kind} ${wish.object.metadata.name}`;
  switch (outcome.kind) {
    case "done":
      return { wish, arrival: () => arrival(wish, outcome.live, hands) };
    case "stale":
    case "absent":
      return { wish, isMoot: true }; // it was there already, or is gone: the next round sees it
    case "missing":
    case "unavailable":
      return {
        wish,
        trouble: `cannot ${name}: ${outcome.kind === "missing" ? outcome.what : outcome.message}`,
      };
    case "rejected":
      return { wish, trouble: `cannot ${name}: ${outcome.message}`, isFinal: true };
    case "conflict":
      return { wish, trouble: `cannot ${name}: another manager has it` };
  }
}

function requestFor(wish: Wish, resource: Resource): ApiRequest {
  const { name, namespace, uid = "" } = wish.object.metadata;
  const place = { name, ...(namespace !== undefined && { namespace }) };
  const manner = { fieldManager: wish.manager };
  switch (wish.kind) {
    case "create":
      return createObject(resource, { ...(namespace !== undefined && { namespace }) }, wish.object, manner);
    case "delete":
      return deleteObject(resource, place, { preconditions: { uid } });
    case "set": {
      const body = patchFor(wish.object, wish.fields) ?? {};
      const target = { ...place, ...(wish.isStatus === true && { subresource: "status" }) };
      return patchObject(resource, target, body, { ...manner, type: "merge" });
    }
  }
}

// Without this the next round would decide on what was, and do everything twice.
async function arrival(
  { kind, object }: Wish,
  live: KubeObject | undefined,
  { watchOf, signal }: Hands,
): Promise<void> {
  const store = watchOf(object)?.store;
  if (store === undefined) return;
  const version = live?.metadata.resourceVersion;
  if (kind !== "delete" && version !== undefined) return store.contains(version, signal);
  const gone = Promise.withResolvers<void>();
  const isThere = () =>
    [...store.items()].some(
      ({ metadata }) => metadata.uid === object.metadata.uid && metadata["deletionTimestamp"] === undefined,
    );
  const look = () => (isThere() && !signal.aborted ? undefined : gone.resolve());
  const leave = store.subscribe(look);
  signal.addEventListener("abort", look, { once: true });
  look();
  await gone.promise;
  leave();
}
