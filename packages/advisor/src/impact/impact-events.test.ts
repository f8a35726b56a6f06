import type { Impact, Spec, Status } from "@virt/api";
import { expect, test } from "vitest";
import { writeConditions } from "../conditions/status-conditions.ts";
import { publishStatus } from "../publish-status.ts";
import { eventsForStatusChange } from "../status-events.ts";
import { impactFixture } from "../testing/impact-fixtures.ts";
import { drafted, examplePlanHash, generation, observedWith, otherHash, psi } from "../testing/observed-fixtures.ts";
import { transition } from "../transition.ts";
import { impactEvents } from "./impact-events.ts";

const planHash = "abcdef01".padEnd(64, "0");
const withImpact = (impact?: Impact): Status => ({ phase: "ReviewRequired", planHash, ...(impact && { impact }) });
const reasons = (before: Status, after: Status, mayWarn = true) =>
  impactEvents(before, after, mayWarn).map(({ reason }) => reason);
const base = impactFixture();
const counted = (change: Partial<NonNullable<Impact["vms"]>>) =>
  impactFixture({ vms: { ...(base.vms as NonNullable<Impact["vms"]>), ...change } });

test("reports the first assessment of a plan once", () => {
  expect(impactEvents(withImpact(), withImpact(base), true)).toEqual([
    { type: "Normal", reason: "ImpactAssessed", note: `Plan abcdef010000: ${base.summary}` },
  ]);
  expect(reasons(withImpact(base), withImpact(base))).toEqual([]);
  expect(reasons(withImpact(base), { ...withImpact(base), planHash: "b" })).toEqual(["ImpactAssessed"]);
});

/** Reconciles until the plan is under review and its impact is known. Returns the reasons of all events. */
function draftAgain(stored: Status, edited: Partial<Spec>, planHashNow: string): readonly string[] {
  const observed = observedWith("ReviewRequired", { generation: generation + 1, spec: edited });
  const recorded: string[] = [];
  let before = stored;
  for (const draft of [undefined, drafted([psi()], { planHash: planHashNow }), undefined]) {
    const seen = { ...observed, stored: before, impactNow: base, ...(draft && { draft }) };
    const { status } = publishStatus(transition(seen), seen, { impact: base });
    recorded.push(...eventsForStatusChange(before, status, { moved: [] }).map(({ reason }) => reason));
    before = status;
  }
  expect(before).toMatchObject({ phase: "ReviewRequired", planHash: planHashNow, impact: base });
  return recorded.filter((reason) => reason === "ImpactAssessed");
}

test("redrafting the same plan keeps its impact and reports nothing", () => {
  const review = { planHash: examplePlanHash, generation, forced: false, reason: "Requested" } as const;
  const { stored } = observedWith("ReviewRequired", { stored: { impact: base, review } });
  expect(draftAgain(stored, { action: "DryRun", waitTimeout: "2h" }, examplePlanHash)).toEqual([]);
  expect(draftAgain(stored, { action: "Apply", guards: { maxNodes: 5 } }, examplePlanHash)).toEqual([]);
  expect(draftAgain(stored, { action: "DryRun", waitTimeout: "2h" }, otherHash)).toEqual(["ImpactAssessed"]);
  const executed = observedWith("Completed", { stored: { impact: base } }).stored;
  expect(draftAgain(executed, { action: "DryRun" }, examplePlanHash)).toEqual(["ImpactAssessed"]);
});

const pools = (change: Partial<Impact["pools"][number]>) =>
  impactFixture({ pools: base.pools.map((pool) => ({ ...pool, ...change })) });
const worse: readonly (readonly [string, Impact, Impact])[] = [
  ["a VM blocks", base, counted({ block: 1 })],
  ["a VM waits for an external migration", base, counted({ external: 1 })],
  ["capacity becomes insufficient", base, impactFixture({ capacity: { ...base.capacity, fits: "No" } })],
  ["nodes reboot instead of reloading", pools({ class: "Reload" }), base],
  ["a pool is blocked", base, pools({ holdup: "Paused" })],
  ["a pool is blocked for another reason", pools({ holdup: "Paused" }), pools({ holdup: "Degraded" })],
];

test.each(worse)("reports a worse impact, not a better one, if %s", (_what, before, after) => {
  expect(reasons(withImpact(before), withImpact(after))).toEqual(["ImpactWorsened"]);
  expect(reasons(withImpact(before), withImpact(after), false)).toEqual([]);
  const isTurned = before.pools[0]?.holdup !== undefined; // a holdup that changes counts as worse in both directions
  expect(reasons(withImpact(after), withImpact(before))).toEqual(isTurned ? ["ImpactWorsened"] : []);
});

test("changed counts cause no event", () => {
  expect(reasons(withImpact(counted({ block: 1 })), withImpact(counted({ block: 5 })))).toEqual([]);
  expect(reasons(withImpact(base), withImpact(counted({ migrate: 500, stop: 9 })))).toEqual([]);
});

test.each(["Guarded", "ManagedByAutopilot"])("reports once that a plan is on hold: %s", (held) => {
  const ready = (reason: string): Status => ({
    ...withImpact(base),
    conditions: writeConditions({}, [{ type: "Ready", status: "False", reason, message: "held" }], {
      now: 0,
      generation: 1,
    }),
  });
  expect(impactEvents(ready("ReviewRequired"), ready(held), true)).toEqual([
    { type: "Warning", reason: "ExecutionHeld", note: "held" },
  ]);
  expect(reasons(ready(held), ready(held))).toEqual([]);
});
