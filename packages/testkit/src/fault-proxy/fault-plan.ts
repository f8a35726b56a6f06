// A fault plan: when to break what. Data, so that it can be generated, stored and replayed; armed plans count what passes.

import { isLeaseOrEvent, isWrite, type RequestInfo, type Verb } from "./request-info.ts";

/** Which requests meet which fault, and how often. The same plan does the same to the same requests. */
export type FaultPlan = {
  /** For people and test titles. */
  readonly name: string;
  readonly trigger: FaultTrigger;
  readonly fault: Fault;
};

/** Numbers count from 1, from the moment of arming, among what `matching` fits. */
export type FaultTrigger =
  | { readonly on: "request"; readonly number: number; readonly matching: RequestMatcher }
  /** The effective write of that number: answered 2xx, no dry run. */
  | { readonly on: "write"; readonly number: number; readonly matching: RequestMatcher }
  /** Each one, until the proxy is disarmed. */
  | { readonly on: "every"; readonly matching: RequestMatcher };

/**
 * What is not given fits everything, except upkeep: watches are fitted only by `verb: "watch"`, Leases and Events only by
 * their resource. An empty text means that the request has none.
 */
export type RequestMatcher = {
  readonly verb?: Verb;
  readonly group?: string;
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
  readonly isDryRun?: boolean;
};

/** What is done to one request or stream: before it arrives, after the server has answered, or while it is watched. */
export type Fault = FaultBefore | FaultAfter | WatchFault;

/** Nothing is forwarded. */
type FaultBefore =
  | AnswerFault
  | { readonly kind: "reset" }
  /** Never answered; ends when the client gives up. */
  | { readonly kind: "stall" }
  | { readonly kind: "crash-before" };

/** The API server has done it, but the client gets no answer, or does not live to see it. */
export type FaultAfter =
  /** The connection breaks instead of an answer. */
  | { readonly kind: "lose-answer" }
  /** The answer breaks off in its middle. Of a watch: its first frame. */
  | { readonly kind: "cut-answer" }
  /** The client gets a 504. */
  | { readonly kind: "timeout-after-commit" }
  | { readonly kind: "crash-after-commit" }
  | { readonly kind: "crash-after-answer" };

/** The request itself passes. */
type WatchFault =
  /** It waits in the proxy until that is disarmed, so that a test can change the object between decision and write. */
  | { readonly kind: "hold-request" }
  /** Half-open TCP: of a watch that one, else every watch that is open. */
  | { readonly kind: "silence-watches" }
  /** For a watch that is a streaming list: the ERROR frame of an old etcd. Other requests pass. */
  | { readonly kind: "refuse-streaming-list" }
  | { readonly kind: "treat-frames"; readonly of: FrameMatcher; readonly treatment: FrameTreatment };

export type AnswerFault = {
  readonly kind: "answer";
  readonly status: 401 | 403 | 404 | 409 | 429 | 500 | 503;
  readonly retryAfterSeconds?: number;
};

/** Of one object, or of all where nothing is given but the resource, or not even that; then bookmarks too. */
export type FrameMatcher = { readonly resource?: string; readonly namespace?: string; readonly name?: string };

/** Frames of one stream stay in order: what comes behind a held frame waits with it. */
export type FrameTreatment =
  /** Until that time is over, or the proxy is disarmed. */
  | { readonly do: "hold"; readonly forMs?: number }
  | { readonly do: "delay"; readonly ms: number }
  | { readonly do: "drop"; readonly count: number }
  | { readonly do: "duplicate"; readonly count: number };

function isFaultAfter(fault: Fault): fault is FaultAfter {
  return afterwards.some((kind) => kind === fault.kind);
}

const afterwards: readonly FaultAfter["kind"][] = [
  "lose-answer",
  "cut-answer",
  "timeout-after-commit",
  "crash-after-commit",
  "crash-after-answer",
];

export function matchesRequest({ verb, resource, ...others }: RequestMatcher, request: RequestInfo): boolean {
  if (request.verb === "watch" && verb !== "watch") return false;
  if (isLeaseOrEvent(request) && resource !== request.resource) return false;
  if (verb !== undefined && verb !== request.verb) return false;
  if (resource !== undefined && resource !== request.resource) return false;
  return Object.entries(others).every(
    ([key, value]) => value === undefined || request[key as keyof RequestInfo] === value,
  );
}

/**
 * `strikes` is asked once the API server has answered, with whether this was an effective write: a plan for the k-th
 * effective write spares one that was refused and goes on waiting.
 */
export type ClaimedFault = { readonly fault: Fault; readonly strikes: (isEffective: boolean) => boolean };

type ArmedPlan = { readonly plan: FaultPlan; seen: number; state: "waiting" | "claimed" | "fired" };

export class ArmedPlans {
  #armed: ArmedPlan[] = [];
  #disarmed = Promise.withResolvers<void>();

  /** Returns whether the plan has fired so far. */
  arm(plan: FaultPlan): () => boolean {
    const armed: ArmedPlan = { plan, seen: 0, state: "waiting" };
    this.#armed.push(armed);
    return () => armed.state === "fired";
  }

  disarm(): void {
    this.#armed = [];
    this.#disarmed.resolve();
    this.#disarmed = Promise.withResolvers<void>();
  }

  /** Settles when the plans that are armed now are forgotten. */
  untilDisarmed(): Promise<void> {
    return this.#disarmed.promise;
  }

  /** To be asked once for each request, when it comes in. Of several due plans the first armed one is taken. */
  claim(request: RequestInfo): ClaimedFault | undefined {
    const [first] = this.#armed.filter((armed) => isDue(armed, request));
    if (first === undefined) return undefined;
    const { fault, trigger } = first.plan;
    if (trigger.on === "write" && isFaultAfter(fault)) return { fault, strikes: awaitWrite(first) };
    first.state = "fired";
    return { fault, strikes: () => true };
  }

  /** Notified of each effective write when it is answered. */
  recordWrite(request: RequestInfo): void {
    for (const armed of this.#armed) {
      const { trigger } = armed.plan;
      if (trigger.on === "write" && matchesRequest(trigger.matching, request)) armed.seen++;
    }
  }
}

function isDue(armed: ArmedPlan, request: RequestInfo): boolean {
  const { trigger } = armed.plan;
  if (!matchesRequest(trigger.matching, request)) return false;
  switch (trigger.on) {
    case "every":
      return true;
    case "request":
      armed.seen++;
      return armed.seen === trigger.number;
    case "write":
      return armed.state === "waiting" && isWrite(request) && armed.seen === trigger.number - 1;
  }
}

/** Nobody else gets the fault while the answer is awaited. */
function awaitWrite(armed: ArmedPlan): ClaimedFault["strikes"] {
  armed.state = "claimed";
  return (isEffective) => {
    armed.state = isEffective ? "fired" : "waiting";
    return isEffective;
  };
}
