// A fault plan: when to break what. Data, so that a plan can be generated, stored and replayed.

import { type Call, isUpkeep, type Verb } from "./call.ts";

export type Plan = {
  /** For people and test titles. */
  readonly name: string;
  readonly trigger: Trigger;
  readonly fault: Fault;
};

/** Numbers count from 1, from the moment of arming, among what `matching` fits. */
export type Trigger =
  | { readonly on: "request"; readonly number: number; readonly matching: Matcher }
  /** The effective write of that number: answered 2xx, no dry run. */
  | { readonly on: "write"; readonly number: number; readonly matching: Matcher }
  /** Each one, until the proxy is disarmed. */
  | { readonly on: "every"; readonly matching: Matcher };

/**
 * What is not given fits everything, except upkeep: watches are fitted only by `verb: "watch"`, Leases and Events only by
 * their resource. An empty text means that the call has none.
 */
export type Matcher = {
  readonly verb?: Verb;
  readonly group?: string;
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
  readonly isDryRun?: boolean;
};

export type Fault = FaultBefore | FaultAfter | WatchFault;

/** Nothing is forwarded. */
export type FaultBefore =
  | AnswerFault
  | { readonly kind: "reset" }
  /** Never answered; ends when the client gives up. */
  | { readonly kind: "stall" }
  | { readonly kind: "crash-before" };

/** The API server has done it, but the client is not told, or does not live to see it. */
export type FaultAfter =
  /** The connection breaks instead of an answer. */
  | { readonly kind: "lose-answer" }
  /** The answer breaks off in its middle. Of a watch: its first frame. */
  | { readonly kind: "cut-answer" }
  /** The client is told 504. */
  | { readonly kind: "timeout-after-commit" }
  | { readonly kind: "crash-after-commit" }
  | { readonly kind: "crash-after-answer" };

/** The request itself passes. */
export type WatchFault =
  /** Half-open TCP: of a watch that one, else every watch that is open. */
  | { readonly kind: "silence-watches" }
  /** For a watch that is a streaming list: the ERROR frame of an old etcd. Other requests pass. */
  | { readonly kind: "refuse-streaming-list" }
  | { readonly kind: "treat-frames"; readonly of: FrameMatcher; readonly treatment: Treatment };

export type AnswerFault = {
  readonly kind: "answer";
  readonly status: 401 | 403 | 404 | 409 | 429 | 500 | 503;
  readonly retryAfterSeconds?: number;
};

/** Of one object, or of all where nothing is given but the resource, or not even that; then bookmarks too. */
export type FrameMatcher = { readonly resource?: string; readonly namespace?: string; readonly name?: string };

/** Frames of one stream stay in order: what comes behind a held frame waits with it. */
export type Treatment =
  /** Until that time is over, or the proxy is disarmed. */
  | { readonly do: "hold"; readonly forMs?: number }
  | { readonly do: "delay"; readonly ms: number }
  | { readonly do: "drop"; readonly count: number }
  | { readonly do: "duplicate"; readonly count: number };

export function isAfter(fault: Fault): fault is FaultAfter {
  return afterwards.some((kind) => kind === fault.kind);
}

const afterwards: readonly FaultAfter["kind"][] = [
  "lose-answer",
  "cut-answer",
  "timeout-after-commit",
  "crash-after-commit",
  "crash-after-answer",
];

export function fits({ verb, resource, ...others }: Matcher, call: Call): boolean {
  if (call.verb === "watch" && verb !== "watch") return false;
  if (isUpkeep(call) && resource !== call.resource) return false;
  if (verb !== undefined && verb !== call.verb) return false;
  if (resource !== undefined && resource !== call.resource) return false;
  return Object.entries(others).every(([key, value]) => value === undefined || call[key as keyof Call] === value);
}
