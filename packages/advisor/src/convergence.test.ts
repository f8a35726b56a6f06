import { runsForCost } from "@virt/testkit/law-runs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ConfigHarness } from "./testing/config-harness.ts";
import { inputRef, machineTarget, mapTarget } from "./testing/small-profile.ts";

type Event = { readonly what: string; readonly run: (harness: ConfigHarness) => void };

const event = (what: string, run: Event["run"]): Event => ({ what, run });
const options = (small: { readonly size?: string; readonly kernel?: boolean; readonly bad?: boolean }) => ({
  options: { small },
});

const events: readonly Event[] = [
  event("DryRun", (harness) => harness.edit({ action: "DryRun" })),
  event("Apply", (harness) => harness.edit({ action: "Apply" })),
  event("Apply again", (harness) => harness.edit({ action: "Apply" })),
  event("Ignore", (harness) => harness.edit({ action: "Ignore" })),
  event("another size", (harness) => harness.edit(options({ size: "xl" }))),
  event("no kernel", (harness) => harness.edit(options({ kernel: false }))),
  event("bad options", (harness) => harness.edit(options({ bad: true }))),
  event("Continue", (harness) => harness.edit({ failurePolicy: "Continue" })),
  event("bypass", (harness) => harness.edit({ bypassOptimisticLock: true })),
  event("pin", (harness) =>
    harness.edit(harness.status.planHash === undefined ? {} : { approvedPlan: harness.status.planHash }),
  ),
  event("the input moves", (harness) => harness.put(inputRef, { data: { limit: "10" } })),
  event("the input moves back", (harness) => harness.put(inputRef, { data: { limit: "5" } })),
  event("settings edited", (harness) => harness.put(mapTarget, { data: { size: "mine" } })),
  event("settings deleted", (harness) => harness.put(mapTarget, undefined)),
  event("kernel edited", (harness) => harness.put(machineTarget, { spec: { kernelArguments: ["b=2"] } })),
  event("kernel deleted", (harness) => harness.put(machineTarget, undefined)),
  event("the CRD goes", (harness) => Object.assign(harness.behaviour, { isServed: false })),
  event("the CRD comes", (harness) => Object.assign(harness.behaviour, { isServed: true })),
  event("nodes stop", (harness) => Object.assign(harness.behaviour, { isRollingOut: false })),
  event("nodes resume", (harness) => Object.assign(harness.behaviour, { isRollingOut: true })),
  event("refusal", (harness) => Object.assign(harness.behaviour, { isRefusing: true })),
  event("no refusal", (harness) => Object.assign(harness.behaviour, { isRefusing: false })),
  event("outage", (harness) => Object.assign(harness.behaviour, { isUnavailable: true })),
  event("no outage", (harness) => Object.assign(harness.behaviour, { isUnavailable: false })),
];

function settle(harness: ConfigHarness, crashes: readonly boolean[] = []): boolean {
  for (let round = 0; round < 40; round += 1) {
    const before = harness.status;
    const isCrashing = crashes[round] === true;
    const { requeue } = harness.reconcile(isCrashing);
    const isQuiet = JSON.stringify(harness.status) === JSON.stringify(before) && requeue.when !== "at-once";
    if (isQuiet && !isCrashing) return true;
  }
  return false;
}

function start(): ConfigHarness {
  const harness = new ConfigHarness();
  harness.put(inputRef, { data: { limit: "5" } });
  return harness;
}

const summary = ({ status, spec, ...harness }: ConfigHarness) => ({
  phase: status.phase,
  action: spec.action,
  items: status.items?.map(({ name, state }) => `${name} ${state}`),
  marks: status.conditions?.filter(({ status }) => status === "True").map(({ type }) => type),
  ways: harness.behaviour,
});
const contents = (harness: ConfigHarness) =>
  [mapTarget, machineTarget].map((ref) => [harness.live(ref)?.["data"], harness.live(ref)?.["spec"]]);

const anyEvents = fc.array(fc.constantFrom(...events), { maxLength: 8, size: "max" });
const anyReconciles = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 12, maxLength: 12 });

/** Ends all simulated failures, then reviews and applies the plan. */
function calmAndApply(harness: ConfigHarness): void {
  Object.assign(harness.behaviour, { isServed: true, isRollingOut: true, isRefusing: false, isUnavailable: false });
  harness.put(inputRef, { data: { limit: "5" } });
  harness.edit({
    action: "DryRun",
    options: { small: { size: "m" } },
    bypassOptimisticLock: false,
    failurePolicy: "Abort",
  });
  settle(harness);
  harness.edit({
    action: "Apply",
    ...(harness.spec.approvedPlan && harness.status.planHash && { approvedPlan: harness.status.planHash }),
  });
}

test("the same spec leads to the same state, in any order of events", () => {
  const law = fc.property(anyEvents, anyReconciles, (events, reconciles) => {
    const harness = start();
    events.forEach(({ run }, at) => {
      run(harness);
      for (let round = 0; round < (reconciles[at] ?? 0); round += 1) harness.reconcile();
    });
    calmAndApply(harness);
    expect(settle(harness)).toBe(true);
    expect(summary(harness)).toMatchObject({ phase: "Completed", items: ["kernel Completed", "settings Completed"] });
    expect(contents(harness)).toEqual([
      [{ size: "m-5" }, undefined],
      [undefined, { kernelArguments: ["a=1"] }],
    ]);
  });
  fc.assert(law, runsForCost(64));
});

test("a config settles after any event", () => {
  const law = fc.property(anyEvents, (events) => {
    const harness = start();
    return events.every(({ run }) => {
      run(harness);
      return settle(harness);
    });
  });
  fc.assert(law, runsForCost(64));
});

test("crashes do not change the final state", () => {
  const anyCrashes = fc.array(fc.array(fc.boolean(), { maxLength: 8 }), { minLength: 12, maxLength: 12 });
  const law = fc.property(anyEvents, anyCrashes, (events, crashes) => {
    const [calm, crashing] = [start(), start()];
    events.forEach(({ run }, at) => {
      run(calm);
      settle(calm);
      run(crashing);
      settle(crashing, crashes[at]);
    });
    expect(summary(crashing)).toEqual(summary(calm));
    expect(contents(crashing)).toEqual(contents(calm));
  });
  fc.assert(law, runsForCost(64));
});

test("writes only recorded content", () => {
  const law = fc.property(anyEvents, anyReconciles, (events, reconciles) => {
    const harness = start();
    events.forEach(({ run }, at) => {
      run(harness);
      for (let round = 0; round < (reconciles[at] ?? 0); round += 1) harness.reconcile(round === 2);
    });
    return harness.written.every(({ isOnRecord }) => isOnRecord);
  });
  fc.assert(law, runsForCost(64));
});

test("writes nothing without an Apply", () => {
  const law = fc.property(anyEvents, anyReconciles, (events, reconciles) => {
    const harness = start();
    events
      .filter(({ what }) => !what.startsWith("Apply"))
      .forEach(({ run }, at) => {
        run(harness);
        for (let round = 0; round < (reconciles[at] ?? 0); round += 1) harness.reconcile();
      });
    return harness.written.length === 0;
  });
  fc.assert(law, runsForCost(64));
});
