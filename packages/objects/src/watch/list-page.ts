// The pages of one list: the content of a response, and which page to request next.

import type { KubeObject } from "@virt/api";
import { type ItemTransform, keyOf, type WatchItem } from "./watch-frame.ts";

/** Without `continue`, this is the first page. `limit` is the maximum number of objects. */
export type ListPageRequest = { readonly limit: number; readonly continue?: string };

/** `version` is empty if the server does not return one. */
export type ListPage<T> = {
  readonly items: readonly WatchItem<T>[];
  readonly version: string;
  readonly continue?: string;
  /** True if parsing this page blocks the process for too long. The next page then has fewer objects. */
  readonly isLarge?: boolean;
};

/** The response to a page request. "too large": its size exceeds the limit. */
export type PageAnswer = Pick<ListPage<unknown>, "continue" | "isLarge"> | "too large";

/** `page` is the next request. If the list has ended, it is the first page of the next list. */
export type NextPage = { readonly is: "more" | "complete" | "too large"; readonly page: ListPageRequest };

const leastAfterLarge = 10;

/**
 * Returns the next page to request. If a response did not fit, the next page has an eighth of the objects, and after a
 * large page, half of them. "too large" means that not even a single object fits.
 */
export function nextPage(requested: ListPageRequest, answer: PageAnswer): NextPage {
  const { limit } = requested;
  if (answer === "too large") {
    const smaller = Math.floor(limit / 8) || 1;
    return limit === 1 ? { is: "too large", page: { limit } } : { is: "more", page: { ...requested, limit: smaller } };
  }
  const learned = answer.isLarge === true ? halfOf(limit) : limit;
  return answer.continue === undefined
    ? { is: "complete", page: { limit: learned } }
    : { is: "more", page: { limit: learned, continue: answer.continue } };
}

function halfOf(limit: number): number {
  return Math.min(limit, Math.max(leastAfterLarge, Math.floor(limit / 2)));
}

type ListBody = {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  /** Go programs write an empty list as null. */
  readonly items: readonly object[] | null;
};

/** The error for a response with status 200 that is not a list, such as a proxy's. An empty list would hide objects. */
export const notList = "the response is not a list";

/**
 * Reads the body of a list. Adds kind and apiVersion to its items, which only the list has. Returns undefined if the body is not a
 * list.
 */
export function readListPage<T>(body: unknown, transform: ItemTransform<T>): ListPage<T> | undefined {
  if (!isListBody(body)) return undefined;
  const { apiVersion = "", kind = "", metadata, items } = body;
  const kindOfItems = kind.replace(/List$/, "");
  const read = (item: object): WatchItem<T> => {
    const object = { apiVersion, kind: kindOfItems, ...item } as KubeObject;
    const { resourceVersion = "" } = object.metadata;
    return { type: "put", key: keyOf(object.metadata), version: resourceVersion, item: transform(object) };
  };
  const more = metadata?.continue;
  return { items: (items ?? []).map(read), version: metadata?.resourceVersion ?? "", ...(more && { continue: more }) };
}

function isListBody(body: unknown): body is ListBody {
  if (typeof body !== "object" || body === null || !("items" in body)) return false;
  return body.items === null || Array.isArray(body.items);
}
