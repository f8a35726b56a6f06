// Generates fault plans from the trace of a run without faults, so that no request is forgotten.

import { type Call, describeCall, isUpkeep } from "./call.ts";
import { type Fault, fits, type Matcher, type Plan, type Trigger } from "./plan.ts";
import type { Traced } from "./trace.ts";

export type Faults = {
  /** At every request, watches included; Leases and Events are left alone. */
  readonly perRequest: readonly Fault[];
  /** At every effective write. */
  readonly perWrite: readonly Fault[];
  /** At the first request of each shape: same verb, resource, subresource and dry run. For faults that take long. */
  readonly perShape: readonly Fault[];
};

export const usualFaults: Faults = {
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

/** The same trace gives the same plans in the same order. */
export function plansFrom(trace: readonly Traced[], faults: Faults): readonly Plan[] {
  const calls = trace.filter((call) => !isUpkeep(call));
  return [
    ...atEach(calls.filter(isNoWatch), { on: "request", faults: faults.perRequest, matcherOf: () => ({}) }),
    ...atEach(calls.filter(isWatch), { on: "request", faults: faults.perRequest, matcherOf: watchOf }),
    ...atEach(calls.filter(isEffective), { on: "write", faults: faults.perWrite, matcherOf: () => ({}) }),
    ...atEach(firstOfShape(calls), { on: "request", faults: faults.perShape, matcherOf: shapeOf }),
  ];
}

type Generation = {
  readonly on: "request" | "write";
  readonly faults: readonly Fault[];
  readonly matcherOf: (call: Call) => Matcher;
};

function atEach(calls: readonly Call[], { on, faults, matcherOf }: Generation): readonly Plan[] {
  return calls.flatMap((call, index) => {
    const matching = matcherOf(call);
    const number = calls.slice(0, index + 1).filter((other) => fits(matching, other)).length;
    const trigger: Trigger = { on, number, matching };
    return faults.map((fault) => ({
      name: `${describeFault(fault)} at ${on} ${number}: ${describeCall(call)}`,
      trigger,
      fault,
    }));
  });
}

function isWatch({ verb }: Call): boolean {
  return verb === "watch";
}

function isNoWatch({ verb }: Call): boolean {
  return verb !== "watch";
}

function isEffective(call: Traced): boolean {
  return call.isEffective;
}

function watchOf({ group, resource }: Call): Matcher {
  return { verb: "watch", group, resource };
}

function shapeOf({ verb, group, resource, subresource, isDryRun }: Call): Matcher {
  return { verb, group, resource, subresource, isDryRun };
}

function firstOfShape(calls: readonly Call[]): readonly Call[] {
  const first = new Map<string, Call>();
  for (const call of calls) {
    const shape = JSON.stringify(shapeOf(call));
    if (!first.has(shape)) first.set(shape, call);
  }
  return [...first.values()];
}

function describeFault(fault: Fault): string {
  return fault.kind === "answer" ? `${fault.status}` : fault.kind;
}
