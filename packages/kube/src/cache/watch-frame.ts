// One line of a watch stream, read and reduced to what the store keeps. managedFields that no reader wants are cut from the text
// before it is parsed: to parse them is most of the work.

import { type Json, type KubeObject, readJson } from "@virt/engine";

/** `item` is the object after its transform; the object itself is not kept. */
export type WatchFrame<T> =
  | WatchItem<T>
  | { readonly type: "bookmark"; readonly version: string; readonly isInitialEnd: boolean }
  | { readonly type: "error"; readonly code: number; readonly message: string }
  | { readonly type: "malformed"; readonly why: string };

export type WatchItem<T> = {
  readonly type: "put" | "drop";
  readonly key: string;
  readonly version: string;
  readonly item: T;
};

/** Reduces an object on arrival, so that memory holds only what somebody declared to read. */
export type ItemTransform<T> = (object: KubeObject) => T;

const initialEnd = "k8s.io/initial-events-end";

type FrameJson = {
  readonly type?: string;
  readonly object?: KubeObject & { readonly code?: number; readonly message?: string };
};

export function readFrame<T>(
  line: Buffer,
  transform: ItemTransform<T>,
  owners: "read" | "ignored" = "read",
): WatchFrame<T> {
  let parsed: FrameJson | null;
  try {
    const text = line.toString("utf8");
    parsed = readJson(owners === "read" ? text : withoutOwners(text, ["object"])) as FrameJson | null;
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
  // Joined, the text is in one piece. A template keeps its parts as well, for each of thousands of objects.
  return namespace === undefined ? name : [namespace, name].join("/");
}

export type ListItem = { readonly metadata: KubeObject["metadata"] };

/** An item of a list, which carries neither its kind nor its version of the API: the list does. */
export function readItem<T>(
  object: ListItem,
  list: { readonly apiVersion: string; readonly kind: string },
  transform: ItemTransform<T>,
): WatchItem<T> {
  const { apiVersion } = list;
  const whole = { apiVersion, kind: list.kind.replace(/List$/, ""), ...object } as KubeObject;
  const { resourceVersion = "" } = whole.metadata;
  return { type: "put", key: keyOf(whole.metadata), version: resourceVersion, item: transform(whole) };
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
  const marks: Readonly<Record<string, Json>> = metadata?.annotations ?? {};
  return { type: "bookmark", version, isInitialEnd: marks[initialEnd] === "true" };
}

const [quote, comma, openMap, closeMap, openList, closeList, backslash] = [0x22, 0x2c, 0x7b, 0x7d, 0x5b, 0x5d, 0x5c];

/**
 * `path` leads to the object: `["object"]` in a line of a watch. An empty list takes their place. Only text that is written as
 * API servers write it, without spaces, is changed. It need not be valid, and what is wrong outside of the list stays wrong.
 */
export function withoutOwners(text: string, path: readonly string[]): string {
  const start = [...path, "metadata", "managedFields"].reduce((at, name) => memberAt(text, at, name), 0);
  const end = start >= 0 && text.charCodeAt(start) === openList ? endOfValue(text, start) : -1;
  return end < 0 ? text : `${text.slice(0, start)}[]${text.slice(end)}`;
}

/** Where the value of a member begins, in the map that begins at `start`; -1: there is none. */
function memberAt(text: string, start: number, name: string): number {
  if (text.charCodeAt(start) !== openMap) return -1;
  let key = start + 1;
  while (text.charCodeAt(key) === quote) {
    const end = endOfString(text, key);
    if (end === key + name.length + 2 && text.startsWith(name, key + 1)) return end + 1;
    const next = end < 0 ? -1 : endOfValue(text, end + 1);
    if (text.charCodeAt(next) !== comma) return -1;
    key = next + 1;
  }
  return -1;
}

/** Where the comma or the bracket is that follows a value; -1: nowhere. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === quote) {
      const end = endOfString(text, at);
      if (end < 0) return -1;
      at = end - 1;
    } else if (sign === openMap || sign === openList) depth++;
    else if (sign === comma && depth === 0) return at;
    else if ((sign === closeMap || sign === closeList) && depth-- === 0) return at;
  }
  return -1;
}

/** After the quote that closes it; -1: none does. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? -1 : end + 1;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === backslash) first--;
  return (at - first) % 2 === 1;
}
