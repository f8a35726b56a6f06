// Reads one event of a watch, and reduces its object to what the reader keeps.

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

export function keyOf({ namespace, name }: { readonly namespace?: string; readonly name: string }): string {
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
