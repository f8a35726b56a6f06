import { expect, test } from "vitest";
import { ArmedPlans, type FaultPlan } from "./fault-plan.ts";
import { defaultFaults, generateFaultPlans } from "./generate-plans.ts";
import { isWrite, parseRequestInfo, Trace, type TracedRequest } from "./request-info.ts";

const configs = "/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs";

/** All writes succeed. */
function traceOf(...requests: readonly (readonly [method: string, url: string])[]): readonly TracedRequest[] {
  const trace = new Trace();
  for (const [method, url] of requests) {
    const request = parseRequestInfo(method, url, { "content-type": "application/apply-patch+yaml" });
    const entry = trace.open(request, 0);
    if (isWrite(request)) trace.recordWrite(entry);
  }
  return trace.read();
}

const trace = traceOf(
  ["GET", `${configs}?watch=true`],
  ["GET", "/api/v1/nodes?watch=true"],
  ["GET", `${configs}/one`],
  ["PUT", "/apis/coordination.k8s.io/v1/namespaces/a/leases/one"],
  ["PUT", `${configs}/one/status`],
  ["POST", "/apis/events.k8s.io/v1/namespaces/a/events"],
  ["PATCH", "/api/v1/namespaces/a/configmaps/one?dryRun=All"],
  ["PATCH", "/api/v1/namespaces/a/configmaps/one"],
  ["GET", `${configs}?watch=true`],
  ["PUT", `${configs}/one/status`],
);

const none = { perRequest: [], perWrite: [], perShape: [] };
const names = (plans: readonly FaultPlan[]) => plans.map(({ name }) => name);

const cases = [
  {
    reason: "each request and kind of watch gets the fault once",
    faults: { ...none, perRequest: [{ kind: "answer", status: 503 }] as const },
    plans: [
      "503 at request 1: get virtplatformconfigs.advisor.kubevirt.io one",
      "503 at request 2: update virtplatformconfigs.advisor.kubevirt.io/status one",
      "503 at request 3: apply configmaps a/one (dry run)",
      "503 at request 4: apply configmaps a/one",
      "503 at request 5: update virtplatformconfigs.advisor.kubevirt.io/status one",
      "503 at request 1: watch virtplatformconfigs.advisor.kubevirt.io",
      "503 at request 1: watch nodes",
      "503 at request 2: watch virtplatformconfigs.advisor.kubevirt.io",
    ],
  },
  {
    reason: "each effective write gets each crash point",
    faults: { ...none, perWrite: [{ kind: "crash-before" }, { kind: "lose-answer" }] as const },
    plans: [
      "crash-before at write 1: update virtplatformconfigs.advisor.kubevirt.io/status one",
      "lose-answer at write 1: update virtplatformconfigs.advisor.kubevirt.io/status one",
      "crash-before at write 2: apply configmaps a/one",
      "lose-answer at write 2: apply configmaps a/one",
      "crash-before at write 3: update virtplatformconfigs.advisor.kubevirt.io/status one",
      "lose-answer at write 3: update virtplatformconfigs.advisor.kubevirt.io/status one",
    ],
  },
  {
    reason: "each kind of request is stalled once",
    faults: { ...none, perShape: [{ kind: "stall" }] as const },
    plans: [
      "stall at request 1: watch virtplatformconfigs.advisor.kubevirt.io",
      "stall at request 1: watch nodes",
      "stall at request 1: get virtplatformconfigs.advisor.kubevirt.io one",
      "stall at request 1: update virtplatformconfigs.advisor.kubevirt.io/status one",
      "stall at request 1: apply configmaps a/one (dry run)",
      "stall at request 1: apply configmaps a/one",
    ],
  },
];

test.each(cases)("$reason", ({ faults, plans }) => {
  expect(names(generateFaultPlans(trace, faults))).toEqual(plans);
});

test("each plan strikes exactly its request when replayed", () => {
  for (const plan of generateFaultPlans(trace, defaultFaults)) {
    const plans = new ArmedPlans();
    plans.arm(plan);
    const struck = trace.filter((request) => {
      const isStruck = plans.claim(request)?.strikes(request.isEffective) ?? false;
      if (request.isEffective) plans.recordWrite(request);
      return isStruck;
    });
    expect(struck.map(({ verb, resource }) => `${verb} ${resource}`)).toHaveLength(1);
    expect(plan.name).toContain(`${struck[0]?.verb} ${struck[0]?.resource}`);
  }
});

test("plans survive JSON and have different names", () => {
  const plans = generateFaultPlans(trace, defaultFaults);
  expect(JSON.parse(JSON.stringify(plans))).toEqual(plans);
  expect(new Set(names(plans)).size).toBe(plans.length);
});

test("without requests, there are no plans", () => {
  expect(generateFaultPlans([], defaultFaults)).toEqual([]);
});
