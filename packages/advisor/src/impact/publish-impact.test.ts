import type { Impact, Status } from "@virt/api";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Decision } from "../observed.ts";
import { impactFixture } from "../testing/impact-fixtures.ts";
import { now } from "../testing/observed-fixtures.ts";
import { stamp } from "../times.ts";
import { withImpact } from "./publish-impact.ts";

const onChange = { when: "on-change" } as const;
const plan: Status = { phase: "ReviewRequired", planHash: "a" };
const entry = { node: "w-0", kind: "VirtualMachineInstance", namespace: "a", name: "vm", reason: "Disks" } as const;
const shown = impactFixture();
const aged = (seconds: number, impact: Impact = shown) => ({ ...impact, assessedAt: stamp(now - seconds * 1000) });

function published(stored: Status, impactNow: Impact | undefined, next: Partial<Status> = {}): Decision {
  const status = { ...stored, ...next };
  return withImpact({ status, requeue: onChange }, { stored, now, ...(impactNow && { impactNow }) });
}

test("the first assessment of a plan is stored as soon as the plan is", () => {
  const fresh = aged(0);
  expect(published(plan, fresh).status.impact).toBe(fresh);
  const drafting: Status = { phase: "Drafting", planHash: "a" };
  expect(published(drafting, fresh, { phase: "ReviewRequired" }).status).not.toHaveProperty("impact");
  expect(published({ ...plan, planHash: "b" }, fresh, { planHash: "a" }).status).not.toHaveProperty("impact");
});

test("an assessment that shows the same at another time is not stored", () => {
  const stored = { ...plan, impact: aged(3_600) };
  expect(published(stored, aged(0))).toEqual({ status: stored, requeue: onChange });
});

const facts: readonly (readonly [string, Partial<Impact>])[] = [
  ["a node", { nodes: 11 }],
  ["a held node", { held: 1 }],
  ["a class", { pools: shown.pools.map((pool) => ({ ...pool, class: "Drain" })) }],
  ["a blocker", { blockers: [entry] }],
  ["something that stops", { stops: [entry] }],
  ["room", { capacity: { ...shown.capacity, fits: "No" } }],
  ["what could not be read", { notAssessed: [{ what: "pods", reason: "Forbidden", message: "" }] }],
];

test.each(facts)("another fact, %s, is shown at most once a minute", (_what, change) => {
  const fresh = aged(0, impactFixture(change));
  expect(published({ ...plan, impact: aged(60) }, fresh).status.impact).toBe(fresh);
  const early = published({ ...plan, impact: aged(59) }, fresh);
  expect(early.status.impact).toEqual(aged(59));
  expect(early.requeue).toEqual({ when: "at", atMs: Math.floor(now / 1000) * 1000 + 1_000 });
});

test("other numbers are shown at most once in ten minutes", () => {
  const fresh = aged(0, impactFixture({ vms: { ...(shown.vms ?? noVms), migrate: 213 } }));
  expect(published({ ...plan, impact: aged(599) }, fresh).status.impact).toEqual(aged(599));
  expect(published({ ...plan, impact: aged(600) }, fresh).status.impact).toBe(fresh);
});
const noVms = { migrate: 0, block: 0, stop: 0, restart: 0, external: 0, starting: 0, unknown: 0 };

test("while a plan runs the impact is that of its start; one that started at once is assessed there", () => {
  const running: Status = { ...plan, phase: "InProgress", impact: aged(3_600) };
  expect(published(running, aged(0, impactFixture({ nodes: 3 }))).status.impact).toEqual(aged(3_600));
  const { impact: _impact, ...unassessed } = running;
  expect(published(unassessed, aged(0)).status.impact).toEqual(aged(0));
  expect(published({ ...plan, impact: aged(5) }, aged(0), { phase: "InProgress" }).status.impact).toEqual(aged(5));
});

test("what is still being listed is not frozen with a plan that started, but replaced once", () => {
  const listing = (nodes: number) =>
    aged(0, impactFixture({ nodes, notAssessed: [{ what: "VMs", reason: "Listing", message: "" }] }));
  const running: Status = { ...plan, phase: "InProgress" };
  expect(published(running, listing(1)).status).not.toHaveProperty("impact");
  const stored = { ...running, impact: listing(1) };
  expect(published(stored, listing(2)).status.impact).toEqual(listing(1));
  const whole = published(stored, aged(0));
  expect(whole.status.impact).toEqual(aged(0));
  expect(published(whole.status, aged(0, impactFixture({ nodes: 3 }))).status.impact).toEqual(aged(0));
});

test("what is assessed changes neither the plan nor the phase, and is stored at most once a minute", () => {
  const anyStep = fc.record({ seconds: fc.nat(120), nodes: fc.nat(2), migrate: fc.nat(2) });
  const law = fc.property(fc.array(anyStep, { maxLength: 20 }), (steps) => {
    let [status, nowMs] = [plan, now];
    const writes: number[] = [];
    for (const { seconds, nodes, migrate } of steps) {
      nowMs += seconds * 1000;
      const impactNow = impactFixture({ nodes, vms: { ...noVms, migrate }, assessedAt: stamp(nowMs) });
      const next = withImpact({ status, requeue: onChange }, { stored: status, impactNow, now: nowMs }).status;
      const { impact: _impact, ...rest } = next;
      expect(rest).toEqual(plan);
      if (next.impact !== status.impact) writes.push(nowMs);
      status = next;
    }
    return writes.every((at, index) => index === 0 || at - (writes[index - 1] ?? 0) >= 59_000);
  });
  fc.assert(law);
});
