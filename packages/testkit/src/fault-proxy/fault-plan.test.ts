import { expect, test } from "vitest";
import { ArmedPlans, type Fault, type FaultPlan, type FaultTrigger, type RequestMatcher } from "./fault-plan.ts";
import { parseRequestInfo, type RequestInfo } from "./request-info.ts";

const lease = parseRequestInfo("PUT", "/apis/coordination.k8s.io/v1/namespaces/a/leases/one", {});
const event = parseRequestInfo("POST", "/apis/events.k8s.io/v1/namespaces/a/events", {});
const watch = parseRequestInfo("GET", "/api/v1/nodes?watch=true", {});
const read = parseRequestInfo("GET", "/api/v1/nodes/one", {});
const write = parseRequestInfo("PUT", "/api/v1/nodes/one", {});
const dryRun = parseRequestInfo("PUT", "/api/v1/nodes/one?dryRun=All", {});

const reset: Fault = { kind: "reset" };
const plan = (trigger: FaultTrigger, fault: Fault = reset): FaultPlan => ({ name: "test", trigger, fault });

/** Returns the indexes of the requests that get the fault. Each write succeeds. */
function struck(one: FaultPlan, requests: readonly RequestInfo[]): readonly number[] {
  const plans = new ArmedPlans();
  plans.arm(one);
  return requests.flatMap((request, at) => {
    const isEffective = request === write || request === lease || request === event;
    const isStruck = plans.claim(request)?.strikes(isEffective) ?? false;
    if (isEffective) plans.recordWrite(request);
    return isStruck ? [at] : [];
  });
}

const all = [watch, lease, event, read, write, dryRun, read, write, lease, watch];

const cases: readonly (readonly [reason: string, trigger: FaultTrigger, at: readonly number[]])[] = [
  ["Leases, Events and watches are not the first request", { on: "request", number: 1, matching: {} }, [3]],
  ["requests are counted without Leases, Events and watches", { on: "request", number: 5, matching: {} }, [7]],
  ["a plan beyond the last request never fires", { on: "request", number: 6, matching: {} }, []],
  ["a watch gets the fault at its request", { on: "request", number: 2, matching: { verb: "watch" } }, [9]],
  ["a Lease gets the fault at its request", { on: "request", number: 2, matching: { resource: "leases" } }, [8]],
  ["a dry run is a request", { on: "request", number: 1, matching: { isDryRun: true } }, [5]],
  ["a dry run is not a write", { on: "write", number: 2, matching: {} }, [7]],
  ["a plan for every match fires at each", { on: "every", matching: { verb: "get" } }, [3, 6]],
  ["an unknown name does not match", { on: "every", matching: { name: "two" } satisfies RequestMatcher }, []],
];

test.each(cases)("%s", (_reason, trigger, at) => {
  expect(struck(plan(trigger), all)).toEqual(at);
  expect(struck(plan(trigger, { kind: "lose-answer" }), all)).toEqual(at);
});

test("a rejected write does not count, and the plan waits for the next", () => {
  const plans = new ArmedPlans();
  const hasFired = plans.arm(plan({ on: "write", number: 1, matching: {} }, { kind: "crash-after-commit" }));
  expect(plans.claim(write)?.strikes(false)).toBe(false);
  expect(hasFired()).toBe(false);
  expect(plans.claim(write)?.strikes(true)).toBe(true);
  expect(hasFired()).toBe(true);
  plans.recordWrite(write);
  expect(plans.claim(write)).toBeUndefined();
});

test("only one of two parallel writes gets the fault", () => {
  const plans = new ArmedPlans();
  plans.arm(plan({ on: "write", number: 1, matching: {} }, { kind: "lose-answer" }));
  expect(plans.claim(write)).toBeDefined();
  expect(plans.claim(write)).toBeUndefined();
});

test("counts requests while the plan is armed", () => {
  const plans = new ArmedPlans();
  plans.claim(read);
  plans.arm(plan({ on: "request", number: 1, matching: {} }));
  expect(plans.claim(read)?.fault).toEqual(reset);
  plans.arm(plan({ on: "every", matching: {} }));
  plans.disarm();
  expect(plans.claim(read)).toBeUndefined();
});
