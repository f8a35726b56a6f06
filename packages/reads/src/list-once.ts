// One list of the API server, page by page, without an informer.

import type { KubeObject } from "@virt/api";
import { asList, asText, at } from "@virt/engine";
import {
  crdInformer,
  type Discovery,
  type InformerSpec,
  isPageTooLarge,
  listObjects,
  metadataOnly,
  readResultOf,
  type Sender,
  sendPage,
} from "@virt/kube";

export type ListAnswer =
  | { readonly kind: "listed"; readonly items: readonly KubeObject[] }
  | { readonly kind: "not-served" }
  | { readonly kind: "failed"; readonly message: string; readonly reason: "Forbidden" | "TooMany" | "Unavailable" };

export type ListContext = {
  readonly client: Sender;
  readonly discovery: Pick<Discovery, "find">;
  readonly signal: AbortSignal;
};

const pageSize = 500;
/** No cluster has as many objects of a kind that is read here: a list that is longer has no end. */
const mostPages = 200;

/** As narrow as the watch would be, so that the operator's own role is enough. */
export async function listOnce(spec: InformerSpec, { client, discovery, signal }: ListContext): Promise<ListAnswer> {
  const { apiVersion, kind, namespace, name } = spec;
  const found = await discovery.find(spec, signal, client);
  if (found.kind === "not-served") return found;
  if (found.kind === "unavailable") return failed(kind, found.message);
  const place = namespace === undefined ? {} : { namespace };
  const selection = name === undefined ? {} : { fieldSelector: `metadata.name=${name}` };
  // Hundreds of CRDs are many megabytes, of which a few are read later.
  const accept = kind === crdInformer.kind ? { accept: metadataOnly.list } : {};
  const items: KubeObject[] = [];
  let more: string | undefined;
  const size = { current: pageSize };
  for (let pages = 0; pages * size.current < mostPages * pageSize; pages++) {
    const page = { ...selection, ...accept, ...(more !== undefined && { continue: more }) };
    const request = (limit: number) => listObjects(found.resource, place, { ...page, limit });
    const answer = await sendPage(request, size, { sender: client, signal });
    if (isPageTooLarge(answer)) return failed(kind, "an object is too large to be read", "TooMany");
    const reading = readResultOf(answer);
    if (reading.kind !== "found") return reading.kind === "missing" ? { kind: "not-served" } : refused(kind, reading);
    // Elements of a list do not say what they are.
    for (const item of asList(at(reading.object, "items"))) items.push({ ...(item as KubeObject), apiVersion, kind });
    more = asText(at(reading.object, "metadata", "continue")) || undefined;
    if (more === undefined) return { kind: "listed", items };
  }
  return failed(kind, `the list does not end after ${mostPages} pages of ${pageSize} objects`, "TooMany");
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
