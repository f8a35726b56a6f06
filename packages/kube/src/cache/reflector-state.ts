// What a reflector remembers, what it hears, and what it can do.

import type { WatchFrame, WatchItem } from "./watch-frame.ts";

export type ReflectorState = {
  readonly at: "waiting" | "listing" | "watching" | "gone";
  /** A list that is not complete must be begun again; a watch can be resumed. */
  readonly needs: "list" | "watch";
  /** Names the connection of the present effort; what an older one still says is not heard. */
  readonly effort: number;
  /** The newest version that we have seen of anything: where to resume, and the least that a list must show. */
  readonly seen?: string;
  /** Streaming lists are cheaper; a server that refused one is not asked again. */
  readonly canStream: boolean;
  readonly failures: number;
  /** How often the server said that it does not know the version that we have seen. */
  readonly lags: number;
  readonly isProbing: boolean;
};

export type ReflectorInput<T> =
  | { readonly is: "start" }
  | { readonly is: "due"; readonly effort: number }
  | { readonly is: "frame"; readonly effort: number; readonly frame: WatchFrame<T> }
  | { readonly is: "page"; readonly effort: number; readonly version: string; readonly continue?: string }
  | { readonly is: "ended"; readonly effort: number; readonly ending: StreamEnd }
  /** No line for a while. */
  | { readonly is: "quiet"; readonly effort: number; readonly forMs: number }
  /** Somebody has reason to believe that this stream is dead. */
  | { readonly is: "doubted" }
  | { readonly is: "probed"; readonly effort: number; readonly saw: ProbeResult }
  /** What is kept takes more memory than it may. */
  | { readonly is: "overflowed"; readonly why: string }
  /** Somebody needs the truth from the server, not from the stream. */
  | { readonly is: "relist" };

export type ProbeResult = "newer" | "nothing" | "expired" | "no answer";

export type StreamEnd =
  | { readonly how: "whole" }
  | { readonly how: "broken"; readonly why: string }
  | {
      readonly how: "refused";
      readonly code: number;
      readonly why: string;
      readonly retryInMs?: number;
      /** The server has not reached the version that we asked for. */
      readonly isLagging?: boolean;
    };

export type ReflectorAction<T> =
  /** Forgets what an unfinished list brought, and lists. Without `continue` this is the first page. */
  | {
      readonly do: "list";
      readonly effort: number;
      readonly by: "stream" | "pages";
      readonly notOlderThan?: string;
      readonly continue?: string;
    }
  | { readonly do: "watch"; readonly effort: number; readonly from: string }
  | { readonly do: "probe"; readonly effort: number; readonly from: string }
  /** Closes the present connection, if there is one. */
  | { readonly do: "close-watch" }
  | { readonly do: "wait"; readonly effort: number; readonly failures: number; readonly atLeastMs: number }
  /** A line of a list: kept apart until the list is complete. */
  | { readonly do: "collect"; readonly frame: WatchItem<T> }
  /** What was collected takes the place of the store, in one step. */
  | { readonly do: "swap"; readonly version: string }
  | { readonly do: "change"; readonly frame: WatchItem<T> }
  | { readonly do: "advance"; readonly version: string }
  /** Forgets everything: what cannot be kept whole is not known. */
  | { readonly do: "overflow"; readonly why: string }
  /** The kind is not served any more. */
  | { readonly do: "vanish" }
  | {
      readonly do: "notify";
      readonly what: "relist" | "dead stream" | "refused" | "broken" | "malformed";
      readonly why: string;
    };

export function initialReflectorState(canStream: boolean): ReflectorState {
  return { at: "waiting", needs: "list", effort: 0, canStream, failures: 0, lags: 0, isProbing: false };
}
