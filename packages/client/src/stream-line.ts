// What the server tells a page, one JSON line each.

import type { KubeObject } from "@virt/api";
import type { WatchedName } from "./watched-kinds.ts";

/** `list` replaces all that was told of the kind. */
export type StreamLine =
  | { readonly of: WatchedName; readonly type: "list"; readonly objects: readonly KubeObject[] }
  | { readonly of: WatchedName; readonly type: "changed" | "removed"; readonly object: KubeObject }
  /** The API server does not serve the kind, or the user may not list it. */
  | { readonly of: WatchedName; readonly type: "absent" | "forbidden"; readonly resource: string }
  | { readonly of: WatchedName; readonly type: "unauthorized" }
  /** What was told stays; it may be old. */
  | { readonly of: WatchedName; readonly type: "unavailable"; readonly message: string }
  /** So that a page notices when nobody is there any more. */
  | { readonly type: "alive" };
