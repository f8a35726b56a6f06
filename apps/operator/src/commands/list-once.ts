// One list of the API server, page by page, without a watch behind it.

import type { KubeObject } from "@virt/api";
import { asList, asText, at } from "@virt/engine";
import {
  crdWatch,
  type Discovery,
  listObjects,
  metadataOnly,
  readingOf,
  type Sender,
  type WatchSpec,
} from "@virt/kube";

export type ListAnswer =
  | { readonly kind: "listed"; readonly items: readonly KubeObject[] }
  | { readonly kind: "not-served" }
  | { readonly kind: "trouble"; readonly message: string };

export type Listing = { readonly client: Sender; readonly discovery: Discovery; readonly signal: AbortSignal };

const pageSize = 500;

/** As narrow as the watch would be, so that the operator's own role is enough. */
export async function listOnce(spec: WatchSpec, { client, discovery, signal }: Listing): Promise<ListAnswer> {
  const { apiVersion, kind, namespace, name } = spec;
  const found = await discovery.find(spec, signal);
  if (found.kind === "not-served") return found;
  if (found.kind === "unavailable") return trouble(kind, found.message);
  const place = namespace === undefined ? {} : { namespace };
  const selection = name === undefined ? {} : { fieldSelector: `metadata.name=${name}` };
  // Hundreds of CRDs are many megabytes, of which a few are read later.
  const accept = kind === crdWatch.kind ? { accept: metadataOnly.list } : {};
  const items: KubeObject[] = [];
  let more: string | undefined;
  do {
    const page = { ...selection, ...accept, limit: pageSize, ...(more !== undefined && { continue: more }) };
    const reading = readingOf(await client.send(listObjects(found.resource, place, page), { signal }));
    if (reading.kind !== "found") return reading.kind === "missing" ? { kind: "not-served" } : refused(kind, reading);
    // Elements of a list do not say what they are.
    for (const item of asList(at(reading.object, "items"))) items.push({ ...(item as KubeObject), apiVersion, kind });
    more = asText(at(reading.object, "metadata", "continue")) || undefined;
  } while (more !== undefined);
  return { kind: "listed", items };
}

function refused(kind: string, reading: { readonly kind: string; readonly message?: string }): ListAnswer {
  return trouble(kind, reading.message ?? reading.kind);
}

function trouble(kind: string, why: string): ListAnswer {
  return { kind: "trouble", message: `cannot list ${kind}: ${why}` };
}
