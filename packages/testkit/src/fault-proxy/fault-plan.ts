// Defines fault plans as data, so that they can be generated, stored, and replayed, and counts requests for armed
// plans.

import { isLeaseOrEvent, isWrite, type RequestInfo, type Verb } from "./request-info.ts";

/** Selects requests and the fault to inject. Deterministic for the same sequence of requests. */
export type FaultPlan = {
  /** For messages and test titles. */
  readonly name: string;
  readonly trigger: FaultTrigger;
  readonly fault: Fault;
};

/** `number` counts the matching requests from 1, starting when the plan is armed. */
export type FaultTrigger =
  | { readonly on: "request"; readonly number: number; readonly matching: RequestMatcher }
  /** The effective write of that number: answered 2xx, not a dry run. */
  | { readonly on: "write"; readonly number: number; readonly matching: RequestMatcher }
  /** Each matching request until the proxy is disarmed. */
  | { readonly on: "every"; readonly matching: RequestMatcher };

/**
 * Absent fields match everything, with two exceptions. Watches match only `verb: "watch"`. Leases and Events match
 * only their own resource. An empty string matches requests without the field.
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

export type Fault = FaultBefore | FaultAfter | WatchFault;

/** These faults do not forward the request. */
type FaultBefore =
  | AnswerFault
  | { readonly kind: "reset" }
  /** Never answers. Ends when the client gives up. */
  | { readonly kind: "stall" }
  | { readonly kind: "crash-before" };

/** These faults strike after the API server has processed the request. */
export type FaultAfter =
  /** Resets the connection instead of answering. */
  | { readonly kind: "lose-answer" }
  /** Cuts the response in the middle, or the first frame of a watch. */
  | { readonly kind: "cut-answer" }
  /** Answers 504. */
  | { readonly kind: "timeout-after-commit" }
  | { readonly kind: "crash-after-commit" }
  | { readonly kind: "crash-after-answer" };

/** These faults let the request pass. */
type WatchFault =
  /** Delays the request until the proxy is disarmed, so that a test can change the object before the write. */
  | { readonly kind: "hold-request" }
  /** Simulates a half-open TCP connection: for this watch, or for all open watches if the request is not a watch. */
  | { readonly kind: "silence-watches" }
  /** Answers a streaming list with the ERROR frame of an old etcd. Other requests pass. */
  | { readonly kind: "refuse-streaming-list" }
  | { readonly kind: "treat-frames"; readonly of: FrameMatcher; readonly treatment: FrameTreatment };

export type AnswerFault = {
  readonly kind: "answer";
  readonly status: 401 | 403 | 404 | 409 | 429 | 500 | 503;
  readonly retryAfterSeconds?: number;
};

/** Without `namespace` and `name`, matches all objects and bookmarks of the resource. Empty: all frames. */
export type FrameMatcher = { readonly resource?: string; readonly namespace?: string; readonly name?: string };

/** The frames of a stream stay in order, so later frames wait for a held one. */
export type FrameTreatment =
  /** Holds the frame for `forMs`, or until the proxy is disarmed. */
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
 * Call `strikes` after the API server's answer. A plan for the nth effective write skips a write that failed and keeps
 * waiting.
 */
export type ClaimedFault = { readonly fault: Fault; readonly strikes: (isEffective: boolean) => boolean };

type ArmedPlan = { readonly plan: FaultPlan; seen: number; state: "waiting" | "claimed" | "fired" };

export class ArmedPlans {
  #armed: ArmedPlan[] = [];
  #disarmed = Promise.withResolvers<void>();

  /** Returns a function that reports whether the plan has fired. */
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

  /** Resolves at the next `disarm`. */
  untilDisarmed(): Promise<void> {
    return this.#disarmed.promise;
  }

  /** Call once per incoming request. If several plans are due, returns the fault of the one armed first. */
  claim(request: RequestInfo): ClaimedFault | undefined {
    const [first] = this.#armed.filter((armed) => isDue(armed, request));
    if (first === undefined) return undefined;
    const { fault, trigger } = first.plan;
    if (trigger.on === "write" && isFaultAfter(fault)) return { fault, strikes: awaitWrite(first) };
    first.state = "fired";
    return { fault, strikes: () => true };
  }

  /** Call for each effective write when it is answered. */
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

/** Claims the plan, so that no other request gets the fault while the answer is pending. */
function awaitWrite(armed: ArmedPlan): ClaimedFault["strikes"] {
  armed.state = "claimed";
  return (isEffective) => {
    armed.state = isEffective ? "fired" : "waiting";
    return isEffective;
  };
}
