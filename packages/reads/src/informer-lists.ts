// The objects of an informer: from its store, or from a single list with the same selection.

import type { KubeObject } from "@virt/api";
import { type Assessment, assessed, notAssessed } from "@virt/impact";
import {
  type ApiReader,
  crdInformer,
  type Discovery,
  type InformerSpec,
  type InformerState,
  listObjects,
  listPageSize,
  listPages,
  metadataOnly,
} from "@virt/kube";
import { patienceMs } from "./read-retries.ts";

/** Times are monotonic, in milliseconds. */
export class InformerLists {
  readonly #find: (spec: InformerSpec) => InformerState | undefined;
  readonly #failures = new Map<string, { readonly since: number; readonly isLasting: boolean }>();

  constructor(find: (spec: InformerSpec) => InformerState | undefined) {
    this.#find = find;
  }

  list(spec: InformerSpec, now: number): Assessment<readonly KubeObject[]> {
    const informer = this.#find(spec);
    const key = `${spec.apiVersion} ${spec.kind}`;
    const error = informer?.lastError;
    const isSettled = error === undefined || informer?.isTooLarge === true || error.startsWith("403");
    if (isSettled) this.#failures.delete(key);
    if (informer?.state === "not served") return notAssessed("NotServed");
    if (error === undefined)
      return informer?.state === "synced" ? assessed(informer.store.notifiedItems) : notAssessed("Listing");
    if (isSettled) return notAssessed(informer?.isTooLarge === true ? "TooMany" : "Forbidden", error);
    const since = this.#failures.get(key)?.since ?? now;
    const isLasting = now - since >= patienceMs;
    this.#failures.set(key, { since, isLasting });
    if (isLasting) return notAssessed("Unavailable", error);
    // The last list stays valid while the watch fails temporarily.
    return informer?.state === "synced" ? assessed(informer.store.notifiedItems) : notAssessed("Listing", error);
  }

  /** When the first recent error counts as permanent. Undefined if there is no recent error. */
  get patientUntil(): number | undefined {
    const recent = [...this.#failures.values()].filter(({ isLasting }) => !isLasting);
    return recent.length === 0 ? undefined : Math.min(...recent.map(({ since }) => since)) + patienceMs;
  }
}

export type ListAnswer =
  | { readonly kind: "listed"; readonly items: readonly KubeObject[] }
  | { readonly kind: "not-served" }
  | { readonly kind: "failed"; readonly message: string; readonly reason: "Forbidden" | "TooMany" | "Unavailable" };

export type ListContext = {
  readonly client: ApiReader;
  readonly discovery: Pick<Discovery, "find">;
  readonly signal: AbortSignal;
};

/** A longer list counts as endless. No cluster has as many objects of these kinds. */
const mostPages = 200;

/** Requests the same as the watch would, so that the operator's role is sufficient. */
export async function listOnce(spec: InformerSpec, { client, discovery, signal }: ListContext): Promise<ListAnswer> {
  const { apiVersion, kind, namespace, name } = spec;
  const found = await discovery.find(spec, signal, client);
  if (found.kind === "not-served") return found;
  if (found.kind === "unavailable") return failed(kind, found.message);
  const place = namespace === undefined ? {} : { namespace };
  const selection = name === undefined ? {} : { fieldSelector: `metadata.name=${name}` };
  // Lists only the metadata of CRDs, because hundreds of CRDs are many megabytes and only a few of them are read later.
  const accept = kind === crdInformer.kind ? { accept: metadataOnly.list } : {};
  const items: KubeObject[] = [];
  const listed = await listPages((page) => listObjects(found.resource, place, { ...selection, ...accept, ...page }), {
    client,
    signal,
    mostPages,
    // Elements of a list lack kind and apiVersion.
    onItem: (item) => items.push({ ...item, apiVersion, kind }),
  });
  switch (listed.kind) {
    case "listed":
      return { kind: "listed", items };
    case "too large":
      return failed(kind, "an object is too large to be read", "TooMany");
    case "endless":
      return failed(kind, `the list does not end after ${mostPages} pages of ${listPageSize} objects`, "TooMany");
    case "missing":
      return { kind: "not-served" };
    case "absent":
    case "rejected":
    case "unavailable":
      return refused(kind, listed);
  }
}

type FailedList = Extract<ListAnswer, { kind: "failed" }>;
type RefusedList = { readonly kind: string; readonly message?: string; readonly reason?: string };

function refused(kind: string, reading: RefusedList): ListAnswer {
  const reason = reading.reason === "Forbidden" ? "Forbidden" : "Unavailable";
  return failed(kind, reading.message ?? reading.kind, reason);
}

function failed(kind: string, why: string, reason: FailedList["reason"] = "Unavailable"): ListAnswer {
  return { kind: "failed", message: `cannot list ${kind}: ${why}`, reason };
}
