// Generates fault plans for every request in the trace of a run without faults.

import { type Fault, type FaultPlan, type FaultTrigger, matchesRequest, type RequestMatcher } from "./fault-plan.ts";
import { describeRequest, isLeaseOrEvent, type RequestInfo, type TracedRequest } from "./request-info.ts";

/** The faults to inject, one at a time, grouped by the requests that they apply to. */
export type FaultSet = {
  /** For each request, including watches but not Leases and Events. */
  readonly perRequest: readonly Fault[];
  readonly perWrite: readonly Fault[];
  /** For the first request of each verb, resource, subresource and dry run, because these faults are slow. */
  readonly perShape: readonly Fault[];
};

/** The faults of the campaign. */
export const defaultFaults: FaultSet = {
  perRequest: [
    { kind: "answer", status: 500 },
    { kind: "answer", status: 503 },
    { kind: "answer", status: 429, retryAfterSeconds: 1 },
    { kind: "reset" },
  ],
  perWrite: [
    { kind: "crash-before" },
    { kind: "crash-after-commit" },
    { kind: "crash-after-answer" },
    { kind: "lose-answer" },
  ],
  perShape: [{ kind: "stall" }],
};

/** Returns one plan for each fault and matching request of a trace. Leases and Events have none. */
export function generateFaultPlans(trace: readonly TracedRequest[], faults: FaultSet): readonly FaultPlan[] {
  const requests = trace.filter((request) => !isLeaseOrEvent(request));
  return [
    ...plansForEach(requests.filter(isNoWatch), { on: "request", faults: faults.perRequest, matcherOf: () => ({}) }),
    ...plansForEach(requests.filter(isWatch), { on: "request", faults: faults.perRequest, matcherOf: watchOf }),
    ...plansForEach(requests.filter(isEffective), { on: "write", faults: faults.perWrite, matcherOf: () => ({}) }),
    ...plansForEach(firstOfShape(requests), { on: "request", faults: faults.perShape, matcherOf: shapeOf }),
  ];
}

type GenerateOptions = {
  readonly on: "request" | "write";
  readonly faults: readonly Fault[];
  readonly matcherOf: (request: RequestInfo) => RequestMatcher;
};

function plansForEach(
  requests: readonly RequestInfo[],
  { on, faults, matcherOf }: GenerateOptions,
): readonly FaultPlan[] {
  return requests.flatMap((request, index) => {
    const matching = matcherOf(request);
    const number = requests.slice(0, index + 1).filter((other) => matchesRequest(matching, other)).length;
    const trigger: FaultTrigger = { on, number, matching };
    return faults.map((fault) => ({
      name: `${describeFault(fault)} at ${on} ${number}: ${describeRequest(request)}`,
      trigger,
      fault,
    }));
  });
}

function isWatch({ verb }: RequestInfo): boolean {
  return verb === "watch";
}

function isNoWatch({ verb }: RequestInfo): boolean {
  return verb !== "watch";
}

function isEffective(request: TracedRequest): boolean {
  return request.isEffective;
}

function watchOf({ group, resource }: RequestInfo): RequestMatcher {
  return { verb: "watch", group, resource };
}

function shapeOf({ verb, group, resource, subresource, isDryRun }: RequestInfo): RequestMatcher {
  return { verb, group, resource, subresource, isDryRun };
}

function firstOfShape(requests: readonly RequestInfo[]): readonly RequestInfo[] {
  const first = new Map<string, RequestInfo>();
  for (const request of requests) {
    const shape = JSON.stringify(shapeOf(request));
    if (!first.has(shape)) first.set(shape, request);
  }
  return [...first.values()];
}

function describeFault(fault: Fault): string {
  return fault.kind === "answer" ? `${fault.status}` : fault.kind;
}
