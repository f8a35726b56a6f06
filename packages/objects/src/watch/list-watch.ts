// The responses of a list and its watch: pages, events and versions. Which page to request next, and the pause after
// failures.

import type { KubeObject } from "@virt/api";
import { readJson } from "../json/read-json.ts";

/** `item` is the object after its transform. The object itself is dropped. */
export type WatchFrame<T> =
  | WatchItem<T>
  | { readonly type: "bookmark"; readonly version: string; readonly isInitialEnd: boolean }
  | { readonly type: "error"; readonly code: number; readonly message: string }
  | { readonly type: "malformed"; readonly why: string };

/** An object that was added or changed (`put`) or deleted (`drop`). */
export type WatchItem<T> = {
  readonly type: "put" | "drop";
  readonly key: string;
  readonly version: string;
  readonly item: T;
};

/** Reduces an object on arrival, so that memory contains only declared parts. */
export type ItemTransform<T> = (object: KubeObject) => T;

const initialEnd = "k8s.io/initial-events-end";

type FrameJson = {
  readonly type?: string;
  readonly object?: KubeObject & { readonly code?: number; readonly message?: string };
};

/** Reads a line. Never throws: a line that is not a watch event is `malformed`. */
export function readFrame<T>(text: string, transform: ItemTransform<T>): WatchFrame<T> {
  let parsed: FrameJson | null;
  try {
    parsed = readJson(text) as FrameJson | null;
  } catch {
    return { type: "malformed", why: "watch event is not JSON" };
  }
  const { type = "", object } = parsed ?? {};
  switch (type) {
    case "ADDED":
    case "MODIFIED":
      return object === undefined ? withoutObject : itemFrame("put", object, transform);
    case "DELETED":
      return object === undefined ? withoutObject : itemFrame("drop", object, transform);
    case "BOOKMARK":
      return bookmark(object?.metadata);
    case "ERROR":
      return { type: "error", code: object?.code ?? 0, message: object?.message ?? "" };
    default:
      return { type: "malformed", why: `watch event has unknown type "${type}"` };
  }
}

function keyOf({ namespace, name }: { readonly namespace?: string; readonly name: string }): string {
  // Uses `join`, because V8 keeps the parts of a template literal in memory, for each of thousands of objects.
  return namespace === undefined ? name : [namespace, name].join("/");
}

const withoutObject = { type: "malformed", why: "watch event has no object" } as const;

function itemFrame<T>(type: "put" | "drop", object: KubeObject, transform: ItemTransform<T>): WatchFrame<T> {
  const { name, resourceVersion } = (object.metadata as KubeObject["metadata"] | undefined) ?? { name: "" };
  if (!name || resourceVersion === undefined)
    return { type: "malformed", why: "object of a watch event has no name or resourceVersion" };
  return { type, key: keyOf(object.metadata), version: resourceVersion, item: transform(object) };
}

function bookmark(metadata: KubeObject["metadata"] | undefined): WatchFrame<never> {
  const version = metadata?.resourceVersion;
  if (version === undefined) return { type: "malformed", why: "bookmark has no resourceVersion" };
  return { type: "bookmark", version, isInitialEnd: metadata?.annotations?.[initialEnd] === "true" };
}

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

/** Below zero: older. Zero: equal. Above zero: newer. Undefined: not comparable. */
function compareVersions(left: string, right: string): number | undefined {
  if (left === right) return 0;
  if (!isDecimal(left) || !isDecimal(right)) return undefined;
  if (left.length !== right.length) return left.length - right.length;
  return left < right ? -1 : 1;
}

/** Reports whether `left` is older than `right`. False if the versions cannot be compared. */
export function isOlder(left: string, right: string): boolean {
  return (compareVersions(left, right) ?? 0) < 0;
}

/** Reports whether a state with version `seen` contains the write with version `written`. */
export function reaches(seen: string, written: string): boolean {
  return (compareVersions(seen, written) ?? 0) >= 0;
}

function isDecimal(version: string): boolean {
  return /^[1-9]\d*$/.test(version);
}

/** Milliseconds. */
type BackoffLimits = { readonly first: number; readonly most: number };

/** Returns the pause in milliseconds. It starts at `first` and doubles with each failure in a row, up to `most`. */
export function pauseAfter(failures: number, { first, most }: BackoffLimits): number {
  return Math.min(most, first * 2 ** (failures - 1));
}

/** Calls `run` once after `ms`, unless the returned function is called before. */
type Scheduler = { readonly schedule: (ms: number, run: () => void) => () => void };

/** The part of an AbortSignal that `sleep` needs. Pure code has no AbortSignal. */
export type StopSignal = {
  readonly aborted: boolean;
  readonly addEventListener: (type: "abort", listener: () => void, options: { readonly once: boolean }) => void;
  readonly removeEventListener: (type: "abort", listener: () => void) => void;
};

/** Resolves after `ms` or when the signal is aborted. */
export function sleep(clock: Scheduler, ms: number, signal: StopSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const wake = () => {
      cancel();
      signal.removeEventListener("abort", wake);
      resolve();
    };
    const cancel = clock.schedule(ms, wake);
    signal.addEventListener("abort", wake, { once: true });
  });
}
