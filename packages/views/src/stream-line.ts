// The lines that the server streams to a page, one JSON document each.

import type { KubeObject } from "@virt/api";
import type { WatchedName } from "./watched-kinds.ts";

/** `list` replaces all objects of the kind. */
export type StreamLine =
  | { readonly of: WatchedName; readonly type: "list"; readonly objects: readonly KubeObject[] }
  | { readonly of: WatchedName; readonly type: "changed" | "removed"; readonly object: KubeObject }
  /** The API server does not serve the kind, or the user may not list it. */
  | { readonly of: WatchedName; readonly type: "absent" | "forbidden"; readonly resource: string }
  | { readonly of: WatchedName; readonly type: "unauthorized" }
  /**
   * The page keeps its objects, which may be out of date. `currentAt` is when they were last known to be up to date, in
   * milliseconds.
   */
  | { readonly of: WatchedName; readonly type: "unavailable"; readonly message: string; readonly currentAt?: number }
  /** Sent regularly, so that a page detects a lost connection. */
  | { readonly type: "alive" };
