import fc from "fast-check";
import { expect, test } from "vitest";
import { ConfigWorld } from "./config-world.ts";
import { inputRef, machineTarget, mapTarget } from "./small-profile.ts";

type Event = { readonly what: string; readonly happen: (world: ConfigWorld) => void };

const event = (what: string, happen: Event["happen"]): Event => ({ what, happen });
const options = (small: { readonly size?: string; readonly kernel?: boolean; readonly bad?: boolean }) => ({
  options: { small },
});

const events: readonly Event[] = [
  event("DryRun", (world) => world.edit({ action: "DryRun" })),
  event("Apply", (world) => world.edit({ action: "Apply" })),
  event("Apply again", (world) => world.edit({ action: "Apply" })),
  event("Ignore", (world) => world.edit({ action: "Ignore" })),
  event("another size", (world) => world.edit(options({ size: "xl" }))),
  event("no kernel", (world) => world.edit(options({ kernel: false }))),
  event("bad options", (world) => world.edit(options({ bad: true }))),
  event("Continue", (world) => world.edit({ failurePolicy: "Continue" })),
  event("bypass", (world) => world.edit({ bypassOptimisticLock: true })),
  event("pin", (world) =>
    world.edit(world.status.planHash === undefined ? {} : { approvedPlan: world.status.planHash }),
  ),
  event("the input moves", (world) => world.put(inputRef, { data: { limit: "10" } })),
  event("the input moves back", (world) => world.put(inputRef, { data: { limit: "5" } })),
  event("settings edited", (world) => world.put(mapTarget, { data: { size: "mine" } })),
  event("settings deleted", (world) => world.put(mapTarget, undefined)),
  event("kernel edited", (world) => world.put(machineTarget, { spec: { kernelArguments: ["b=2"] } })),
  event("the CRD goes", (world) => Object.assign(world.ways, { isServed: false })),
  event("the CRD comes", (world) => Object.assign(world.ways, { isServed: true })),
  event("nodes stop", (world) => Object.assign(world.ways, { isRollingOut: false })),
  event("nodes go on", (world) => Object.assign(world.ways, { isRollingOut: true })),
  event("refusal", (world) => Object.assign(world.ways, { isRefusing: true })),
  event("no refusal", (world) => Object.assign(world.ways, { isRefusing: false })),
  event("outage", (world) => Object.assign(world.ways, { isUnavailable: true })),
  event("no outage", (world) => Object.assign(world.ways, { isUnavailable: false })),
];

/** Passes until nothing changes any more. */
function settle(world: ConfigWorld, crashes: readonly boolean[] = []): boolean {
  for (let pass = 0; pass < 40; pass += 1) {
    const before = world.status;
    const isCrashing = crashes[pass] === true;
    const { again } = world.pass(isCrashing);
    const isQuiet = JSON.stringify(world.status) === JSON.stringify(before) && again.when !== "at-once";
    if (isQuiet && !isCrashing) return true;
  }
  return false;
}

function start(): ConfigWorld {
  const world = new ConfigWorld();
  world.put(inputRef, { data: { limit: "5" } });
  return world;
}

const summary = ({ status, spec, ...world }: ConfigWorld) => ({
  phase: status.phase,
  action: spec.action,
  items: status.items?.map(({ name, state }) => `${name} ${state}`),
  marks: status.conditions?.filter(({ status }) => status === "True").map(({ type }) => type),
  ways: world.ways,
});
const contents = (world: ConfigWorld) =>
  [mapTarget, machineTarget].map((ref) => [world.live(ref)?.["data"], world.live(ref)?.["spec"]]);

const anyEvents = fc.array(fc.constantFrom(...events), { maxLength: 8, size: "max" });
const anyPasses = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 12, maxLength: 12 });
const numRuns = 300; // each is some dozens of passes

/** All troubles over, and a person who looks at the plan and then wants it. */
function calmAndApply(world: ConfigWorld): void {
  Object.assign(world.ways, { isServed: true, isRollingOut: true, isRefusing: false, isUnavailable: false });
  world.put(inputRef, { data: { limit: "5" } });
  world.edit({
    action: "DryRun",
    options: { small: { size: "m" } },
    bypassOptimisticLock: false,
    failurePolicy: "Abort",
  });
  settle(world);
  world.edit({
    action: "Apply",
    ...(world.spec.approvedPlan && world.status.planHash && { approvedPlan: world.status.planHash }),
  });
}

test("whatever happened in whatever order, the same wish in the same cluster ends in the same state", () => {
  const law = fc.property(anyEvents, anyPasses, (events, passes) => {
    const world = start();
    events.forEach(({ happen }, at) => {
      happen(world);
      for (let pass = 0; pass < (passes[at] ?? 0); pass += 1) world.pass();
    });
    calmAndApply(world);
    expect(settle(world)).toBe(true);
    expect(summary(world)).toMatchObject({ phase: "Completed", items: ["kernel Completed", "settings Completed"] });
    expect(contents(world)).toEqual([
      [{ size: "m-5" }, undefined],
      [undefined, { kernelArguments: ["a=1"] }],
    ]);
  });
  fc.assert(law, { numRuns });
});

test("a config comes to rest after everything that happens", () => {
  const law = fc.property(anyEvents, (events) => {
    const world = start();
    return events.every(({ happen }) => {
      happen(world);
      return settle(world);
    });
  });
  fc.assert(law, { numRuns });
});

test("a crash anywhere changes no final state", () => {
  const anyCrashes = fc.array(fc.array(fc.boolean(), { maxLength: 8 }), { minLength: 12, maxLength: 12 });
  const law = fc.property(anyEvents, anyCrashes, (events, crashes) => {
    const [calm, crashing] = [start(), start()];
    events.forEach(({ happen }, at) => {
      happen(calm);
      settle(calm);
      happen(crashing);
      settle(crashing, crashes[at]);
    });
    expect(summary(crashing)).toEqual(summary(calm));
    expect(contents(crashing)).toEqual(contents(calm));
  });
  fc.assert(law, { numRuns });
});

test("whatever happens, nothing is written but what is on record", () => {
  const law = fc.property(anyEvents, anyPasses, (events, passes) => {
    const world = start();
    events.forEach(({ happen }, at) => {
      happen(world);
      for (let pass = 0; pass < (passes[at] ?? 0); pass += 1) world.pass(pass === 2);
    });
    return world.written.every(({ isOnRecord }) => isOnRecord);
  });
  fc.assert(law, { numRuns });
});

test("without an Apply nothing is ever written", () => {
  const law = fc.property(anyEvents, anyPasses, (events, passes) => {
    const world = start();
    events
      .filter(({ what }) => !what.startsWith("Apply"))
      .forEach(({ happen }, at) => {
        happen(world);
        for (let pass = 0; pass < (passes[at] ?? 0); pass += 1) world.pass();
      });
    return world.written.length === 0;
  });
  fc.assert(law, { numRuns });
});
