// Defines fault plans as data, and counts requests for armed plans.

import { isLeaseOrEvent, isWrite, type RequestInfo, type Verb } from "./request-info.ts";

/** A fault plan. The same sequence of requests always gets the same faults. */
export type FaultPlan = {
  readonly name: string;
  readonly trigger: FaultTrigger;
  readonly fault: Fault;
};

/** `number` counts matching requests, starting at 1 after the plan is armed. */
export type FaultTrigger =
  | { readonly on: "request"; readonly number: number; readonly matching: RequestMatcher }
  /** Counts only effective writes, which have a 2xx response and are not dry runs. */
  | { readonly on: "write"; readonly number: number; readonly matching: RequestMatcher }
  /** Applies to each matching request until the proxy is disarmed. */
  | { readonly on: "every"; readonly matching: RequestMatcher };

/**
 * Absent fields match everything, but watches match only `verb: "watch"`, and Leases and Events only their own
 * resource. An empty string matches requests without the field.
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

/** A fault before a request is forwarded, after it is processed, or in a watch. */
export type Fault = FaultBefore | FaultAfter | WatchFault;

/** These faults do not forward the request. */
type FaultBefore =
  | AnswerFault
  | { readonly kind: "reset" }
  | { readonly kind: "stall" }
  | { readonly kind: "crash-before" };

/** The API server processes the request before these faults occur. */
export type FaultAfter =
  | { readonly kind: "lose-answer" }
  /** Cuts the response in the middle, or the first frame of a watch. */
  | { readonly kind: "cut-answer" }
  | { readonly kind: "timeout-after-commit" }
  | { readonly kind: "crash-after-commit" }
  | { readonly kind: "crash-after-answer" };

/** The proxy forwards requests with these faults. */
type WatchFault =
  /** Delays the request until the proxy is disarmed, so that a test can change the object first. */
  | { readonly kind: "hold-request" }
  /** Simulates half-open TCP, for this watch or, if the request is not a watch, for all open watches. */
  | { readonly kind: "silence-watches" }
  /** Responds with the ERROR frame of an old etcd. Forwards all other requests. */
  | { readonly kind: "refuse-streaming-list" }
  | { readonly kind: "treat-frames"; readonly of: FrameMatcher; readonly treatment: FrameTreatment };

export type AnswerFault = {
  readonly kind: "answer";
  readonly status: 401 | 403 | 404 | 409 | 429 | 500 | 503;
  readonly retryAfterSeconds?: number;
};

/** Without `namespace` and `name`, matches all objects and bookmarks. */
export type FrameMatcher = { readonly resource?: string; readonly namespace?: string; readonly name?: string };

/** The treatment of a watch frame. Frames stay in order, so later ones wait for a frame on hold. */
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

/** Call `strikes` after the API server's response. A plan for the nth effective write skips writes that failed. */
export type ClaimedFault = { readonly fault: Fault; readonly strikes: (isEffective: boolean) => boolean };

type ArmedPlan = { readonly plan: FaultPlan; seen: number; state: "waiting" | "claimed" | "fired" };

export class ArmedPlans {
  #armed: ArmedPlan[] = [];
  #disarmed = Promise.withResolvers<void>();

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

  untilDisarmed(): Promise<void> {
    return this.#disarmed.promise;
  }

  /** Call once per incoming request. The plan armed first wins. */
  claim(request: RequestInfo): ClaimedFault | undefined {
    const [first] = this.#armed.filter((armed) => isDue(armed, request));
    if (first === undefined) return undefined;
    const { fault, trigger } = first.plan;
    if (trigger.on === "write" && isFaultAfter(fault)) return { fault, strikes: awaitWrite(first) };
    first.state = "fired";
    return { fault, strikes: () => true };
  }

  /** Call for each effective write when its response arrives. */
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

/** Waits for the response of a write. Until then, no other request gets the fault. */
function awaitWrite(armed: ArmedPlan): ClaimedFault["strikes"] {
  armed.state = "claimed";
  return (isEffective) => {
    armed.state = isEffective ? "fired" : "waiting";
    return isEffective;
  };
}
