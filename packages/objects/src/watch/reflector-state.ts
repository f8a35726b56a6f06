// The state of a list and its watch, their inputs, and the actions that a transport performs.

import type { ListPageRequest, WatchFrame, WatchItem } from "./list-watch.ts";

/** The state of a list and watch. `stepReflector` returns the next one. */
export type ReflectorState = {
  readonly at: "waiting" | "listing" | "watching" | "gone";
  /** After an incomplete list, a new list is needed. A watch can be resumed. */
  readonly needs: "list" | "watch";
  /** Identifies the current connection. Inputs of earlier connections are ignored. */
  readonly effort: number;
  /** The latest version in any response. Watches resume there, and lists must be at least as new. */
  readonly seen?: string;
  /** False after the server refused a streaming list. Streaming lists are cheaper than pages. */
  readonly canStream: boolean;
  /** The last requested page. Its limit shrinks if objects are large. */
  readonly page: ListPageRequest;
  readonly failures: number;
  /** How many times in a row the server did not have the version in `seen` yet. */
  readonly lags: number;
  readonly isProbing: boolean;
};

/** An event that the transport reports. Inputs of an earlier `effort` are ignored. */
export type ReflectorInput<T> =
  | { readonly is: "start" }
  | { readonly is: "due"; readonly effort: number }
  | { readonly is: "frame"; readonly effort: number; readonly frame: WatchFrame<T> }
  | {
      readonly is: "page";
      readonly effort: number;
      readonly version: string;
      readonly continue?: string;
      readonly isLarge?: boolean;
    }
  /** The page exceeds the size limit. `why` is used if it has a single object. */
  | { readonly is: "page too large"; readonly effort: number; readonly why: string }
  | { readonly is: "ended"; readonly effort: number; readonly ending: StreamEnd }
  /** No data has arrived for a while. */
  | { readonly is: "quiet"; readonly effort: number; readonly forMs: number }
  /** The caller suspects that this stream is dead. */
  | { readonly is: "doubted" }
  | { readonly is: "probed"; readonly effort: number; readonly saw: ProbeResult }
  /** The kept objects exceed the memory limit. */
  | { readonly is: "overflowed"; readonly why: string }
  /** The caller needs a fresh list. */
  | { readonly is: "relist" };

/** The result of a probe, which checks whether a silent watch has missed changes. */
export type ProbeResult = "newer" | "nothing" | "expired" | "no answer";

/** How a connection ended. `whole` means that it was closed cleanly. */
export type StreamEnd =
  | { readonly how: "whole" }
  | { readonly how: "broken"; readonly why: string; readonly isUnauthorized?: boolean }
  | {
      readonly how: "refused";
      readonly code: number;
      readonly why: string;
      /** The message of the API server. Absent if a proxy responded. */
      readonly statusMessage?: string;
      readonly retryInMs?: number;
      /** The server has not reached the requested version yet. */
      readonly isLagging?: boolean;
    };

/** An action that the transport must take, in the given order. */
export type ReflectorAction<T> =
  /** A stream or a page without `continue` starts the list. A page that is too large is requested again with fewer objects. */
  | {
      readonly do: "list";
      readonly effort: number;
      readonly by: "stream" | "pages";
      readonly page: ListPageRequest;
      readonly notOlderThan?: string;
    }
  | { readonly do: "watch"; readonly effort: number; readonly from: string }
  | { readonly do: "probe"; readonly effort: number; readonly from: string }
  /** Closes the current connection, if there is one. */
  | { readonly do: "close-watch" }
  | { readonly do: "wait"; readonly effort: number; readonly failures: number; readonly atLeastMs: number }
  /** Adds a line of a list to the items that replace the store when the list is complete. */
  | { readonly do: "collect"; readonly frame: WatchItem<T> }
  /** Replaces the store with the collected items in one step. */
  | { readonly do: "swap"; readonly version: string }
  | { readonly do: "change"; readonly frame: WatchItem<T> }
  | { readonly do: "advance"; readonly version: string }
  /** Clears the store, because the objects do not fit in the memory limit. */
  | { readonly do: "overflow"; readonly why: string }
  /** The kind is no longer served. */
  | { readonly do: "vanish" }
  | {
      readonly do: "notify";
      readonly what: "relist" | "dead stream" | "refused" | "broken" | "malformed";
      readonly why: string;
    };

export type ReflectorSettings = { readonly canStream: boolean; readonly pageSize: number };

/** Returns the state before the first list. Step it with `start`. */
export function initialReflectorState({ canStream, pageSize }: ReflectorSettings): ReflectorState {
  const page = { limit: pageSize };
  return { at: "waiting", needs: "list", effort: 0, canStream, page, failures: 0, lags: 0, isProbing: false };
}
