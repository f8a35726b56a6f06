// One line of a watch stream, read and reduced to what the store keeps.

import { type Json, type KubeObject, readJson } from "@virt/engine";
import { withoutOwners } from "./without-owners.ts";

/** `item` is the object after its transform; the object itself is not kept. */
export type Frame<T> =
  | Item<T>
  | { readonly type: "bookmark"; readonly version: string; readonly isInitialEnd: boolean }
  | { readonly type: "error"; readonly code: number; readonly message: string }
  | { readonly type: "malformed"; readonly why: string };

export type Item<T> = {
  readonly type: "put" | "drop";
  readonly key: string;
  readonly version: string;
  readonly item: T;
};

/** Reduces an object on arrival, so that memory holds only what somebody declared to read. */
export type Transform<T> = (object: KubeObject) => T;

const initialEnd = "k8s.io/initial-events-end";

type Line = {
  readonly type?: string;
  readonly object?: KubeObject & { readonly code?: number; readonly message?: string };
};

export function readFrame<T>(line: Buffer, transform: Transform<T>, owners: "read" | "ignored" = "read"): Frame<T> {
  let parsed: Line | null;
  try {
    const text = line.toString("utf8");
    parsed = readJson(owners === "read" ? text : withoutOwners(text, ["object"])) as Line | null;
  } catch {
    return { type: "malformed", why: "a line of the stream is not JSON" };
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
      return { type: "malformed", why: `a line of the stream has the unknown type "${type}"` };
  }
}

function keyOf({ namespace, name }: { readonly namespace?: string; readonly name: string }): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

export type ListItem = { readonly metadata: KubeObject["metadata"] };

/** An item of a list, which carries neither its kind nor its version of the API: the list does. */
export function readItem<T>(
  object: ListItem,
  list: { readonly apiVersion: string; readonly kind: string },
  transform: Transform<T>,
): Item<T> {
  const { apiVersion } = list;
  const whole = { apiVersion, kind: list.kind.replace(/List$/, ""), ...object } as KubeObject;
  const { resourceVersion = "" } = whole.metadata;
  return { type: "put", key: keyOf(whole.metadata), version: resourceVersion, item: transform(whole) };
}

const withoutObject = { type: "malformed", why: "a line of the stream has no object" } as const;

function itemFrame<T>(type: "put" | "drop", object: KubeObject, transform: Transform<T>): Frame<T> {
  const { name, resourceVersion } = (object.metadata as KubeObject["metadata"] | undefined) ?? { name: "" };
  if (!name || resourceVersion === undefined)
    return { type: "malformed", why: "an object of the stream has no name or version" };
  return { type, key: keyOf(object.metadata), version: resourceVersion, item: transform(object) };
}

function bookmark(metadata: KubeObject["metadata"] | undefined): Frame<never> {
  const version = metadata?.resourceVersion;
  if (version === undefined) return { type: "malformed", why: "a bookmark has no version" };
  const marks: Readonly<Record<string, Json>> = metadata?.annotations ?? {};
  return { type: "bookmark", version, isInitialEnd: marks[initialEnd] === "true" };
}
