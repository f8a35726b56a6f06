// Lists a kind once, with the selection of an informer.

import type { KubeObject } from "@virt/api";
import {
  type ApiReader,
  crdInformer,
  type Discovery,
  type InformerSpec,
  listObjects,
  listPageSize,
  listPages,
  metadataOnly,
} from "@virt/kube";

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
