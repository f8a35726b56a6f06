import { type KubeObject, type ListPageRequest, nextPage, notList, readListPage } from "@virt/objects";
import type { ApiAnswer, ApiReader, FailedRequest } from "./api-client.ts";
import { type ReadResult, readResultOf } from "./outcome.ts";
import type { ReadRequest } from "./request.ts";

/** "too large": a single object exceeds the limit. "endless": there are more than `mostPages` pages. */
export type ListPagesResult =
  | { readonly kind: "listed" | "too large" | "endless" }
  | Exclude<ReadResult, { readonly kind: "found" }>;

export type ListPagesOptions = {
  readonly client: ApiReader;
  readonly signal: AbortSignal;
  /** The maximum number of pages with `listPageSize` objects. A longer list counts as endless. */
  readonly mostPages: number;
  readonly onItem: (item: KubeObject) => void;
};

/** The number of objects per page, unless they are large. */
export const listPageSize = 500;
/** The size limit of a page in bytes. Parsing a larger one would block the process. */
export const mostPageBytes = 8_000_000;

/** Requests pages until the list is complete. Calls `onItem` for each object as its page arrives. */
export async function listPages(
  requestOf: (page: ListPageRequest) => ReadRequest,
  { client, signal, mostPages, onItem }: ListPagesOptions,
): Promise<ListPagesResult> {
  let page: ListPageRequest = { limit: listPageSize };
  for (let read = 0; read * page.limit < mostPages * listPageSize; ) {
    const answer = await client.send(requestOf(page), { signal, mostBytes: mostPageBytes });
    const reading = isPageTooLarge(answer) ? undefined : readResultOf(answer);
    if (reading !== undefined && reading.kind !== "found") return reading;
    const list = reading && readListPage(reading.object, onItem);
    if (reading !== undefined && list === undefined) return { kind: "unavailable", message: notList };
    const next = nextPage(page, list ?? "too large");
    if (next.is === "complete") return { kind: "listed" };
    if (next.is === "too large") return { kind: "too large" };
    page = next.page;
    if (list !== undefined) read++;
  }
  return { kind: "endless" };
}

/** Reports whether the response exceeds the size limit. */
export function isPageTooLarge(answer: ApiAnswer | FailedRequest): boolean {
  return answer.kind === "failed" && answer.failure.reason === "too large";
}
