import type { Phase, Review } from "@virt/api";
import { describe, expect, test } from "vitest";
import { conditionOf, inputConditions as marks, stalenessConditions } from "../conditions/status-conditions.ts";
import type { Observed } from "../observed.ts";
import {
  deschedulerItem,
  drafted,
  examplePlanHash,
  generation,
  health,
  input,
  type ObservedOverrides,
  observedItem,
  observedWith,
  otherHash,
  psi,
} from "../testing/observed-fixtures.ts";
import { transition, wantsDraft } from "../transition.ts";

const shown: Review = { planHash: examplePlanHash, generation, forced: false, reason: "Requested" };
const forced: Review = { planHash: examplePlanHash, generation, forced: true, reason: "NotRequested" };
const moved = { uid: "u1", resourceVersion: "2", hash: "h2" };
const stale = [observedItem(psi(), { current: moved }), observedItem(deschedulerItem())];
const waiting = (given: ObservedOverrides = {}) =>
  observedWith("ReviewRequired", {
    ...given,
    spec: { action: "DryRun", ...given.spec },
    stored: { review: shown, ...given.stored },
  });
const approved = (given: ObservedOverrides = {}) =>
  observedWith("ReviewRequired", { generation: generation + 1, ...given, stored: { review: shown, ...given.stored } });

type Case = readonly [reason: string, seen: Observed, phase: Phase];

const cases: readonly Case[] = [
  ["a plan waits for an approval", waiting(), "ReviewRequired"],
  ["an approved plan executes", approved(), "InProgress"],
  ["a changed input causes a redraft", waiting({ inputs: [input({ now: "10" })] }), "Drafting"],
  ["a changed input takes precedence over an approval", approved({ inputs: [input({ now: "10" })] }), "Drafting"],
  ["an unreadable input is unchanged", approved({ inputs: [input({ now: undefined })] }), "InProgress"],
  ["a changed target invalidates an approval", approved({ items: stale }), "Drafting"],
  [
    "bypassOptimisticLock accepts changed targets",
    approved({ items: stale, spec: { bypassOptimisticLock: true } }),
    "InProgress",
  ],
  [
    "bypassOptimisticLock does not apply to a named plan",
    approved({ items: stale, spec: { bypassOptimisticLock: true, approvedPlan: examplePlanHash } }),
    "Drafting",
  ],
  [
    "a changed target causes a redraft in place",
    waiting({ items: stale, draft: drafted([psi()], { planHash: otherHash }) }),
    "ReviewRequired",
  ],
  [
    "a plan without remaining changes is completed",
    waiting({ draft: drafted([psi({ changes: false })]) }),
    "Completed",
  ],
  ["an Apply that names another plan waits", approved({ spec: { approvedPlan: otherHash } }), "ReviewRequired"],
  [
    "a forced review waits even if action is Apply",
    observedWith("ReviewRequired", { stored: { review: forced } }),
    "ReviewRequired",
  ],
  ["a newer Apply acknowledges a forced review", approved({ stored: { review: forced } }), "InProgress"],
];

test.each(cases)("ReviewRequired: %s", (_reason, seen, phase) => {
  const { status, effect } = transition(seen);
  expect(status.phase).toBe(phase);
  expect(effect).toBeUndefined();
});

test("a plan that is stale after its approval needs a new one", () => {
  const { status } = transition(approved({ items: stale }));
  expect(status.review).toEqual({
    planHash: examplePlanHash,
    generation: generation + 1,
    forced: true,
    reason: "PlanStale",
  });
  expect(conditionOf(status, "PlanStale")).toMatchObject({
    status: "True",
    reason: "TargetsModified",
    message: stalenessConditions.found.message,
  });
  const next = observedWith("Drafting", { generation: generation + 1, stored: status, draft: drafted([psi()]) });
  expect(transition(next).status).toMatchObject({
    phase: "ReviewRequired",
    review: { reason: "PlanStale", forced: true },
  });
});

test("a redraft in place updates items, hashes and the review", () => {
  const draft = drafted([deschedulerItem()], { planHash: otherHash });
  const { status } = transition(waiting({ items: stale, draft }));
  expect(status).toMatchObject({
    planHash: otherHash,
    sourceSnapshotHash: "snapshot-2",
    review: { planHash: otherHash },
  });
  expect(status.items).toEqual(draft.items);
});

test("an unavailable redraft changes nothing", () => {
  const observed = waiting({ items: stale, draft: { kind: "unavailable", message: "503" } });
  expect(transition(observed)).toEqual({ status: observed.stored, requeue: { when: "retry", message: "503" } });
});

describe("an input that changes during review", () => {
  const changed = marks.changed("HCO parallelMigrationsPerCluster changed (scaled 5 -> 10)");

  test("is reported", () => {
    const { status } = transition(waiting({ inputs: [input({ now: "10" })] }));
    expect(conditionOf(status, "InputDependencyDrift")).toMatchObject(changed);
  });

  const back = { marks: [changed], inputs: [input({ used: "10", applied: "5", now: "5" })] };

  test("is resolved at its applied value, but the plan needs an approval", () => {
    const review: Review = { ...forced, reason: "InputChanged" };
    const { status } = transition(waiting({ ...back, stored: { review } }));
    expect(conditionOf(status, "InputDependencyDrift")).toMatchObject({ status: "False", reason: "DriftResolved" });
    const draft = drafted([psi()], { planHash: otherHash });
    const next = transition(observedWith("Drafting", { spec: { action: "DryRun" }, stored: status, draft })).status;
    expect(next.review).toMatchObject({ forced: true, reason: "NotRequested" });
  });

  test("forces a review even if it changed back unseen", () => {
    const { status } = transition(approved({ inputs: back.inputs }));
    expect(status.phase).toBe("Drafting");
    expect(conditionOf(status, "InputDependencyDrift")?.status).not.toBe("True");
    const draft = drafted([psi()], { planHash: otherHash });
    const next = observedWith("Drafting", { generation: generation + 1, stored: status, draft });
    expect(transition(next).status).toMatchObject({ phase: "ReviewRequired", review: { forced: true } });
  });
});

describe("a plan in review", () => {
  test("is forced after an unmatched Apply, with the next step", () => {
    const { status } = transition(approved({ spec: { approvedPlan: otherHash } }));
    expect(status.review).toEqual({
      planHash: examplePlanHash,
      generation: generation + 1,
      forced: true,
      reason: "ApprovalRequired",
    });
    const why = "Plan aaaaaaaaaaaa needs a new review: spec.approvedPlan names plan bbbbbbbbbbbb.";
    expect(conditionOf(status, "ReviewRequired")?.message).toBe(why);
    const command = `kubectl patch vpconf load-aware-rebalancing --type=merge -p '{"spec":{"action":"Apply","approvedPlan":"aaaaaaaaaaaa"}}'`;
    expect(conditionOf(status, "Ready")?.message).toBe(`${why} Next: review status.items, then run: ${command}`);
  });

  test("does not start after a restart with another flag", () => {
    const first = transition(
      approved({ stored: { review: forced }, operator: { version: "v2", mustPin: true } }),
    ).status;
    expect(first.phase).toBe("ReviewRequired");
    const later = transition(approved({ stored: first })).status;
    expect(later.phase).toBe("ReviewRequired");
  });

  test("reports the same if nothing changed", () => {
    const given = { operator: { version: "v2", mustPin: true }, marks: [marks.changed("x")] };
    const first = transition(observedWith("Drafting", { ...given, draft: drafted([psi()]) })).status;
    const second = transition({ ...observedWith("ReviewRequired", given), stored: first }).status;
    expect(second).toEqual(first);
  });
});

test("a plan in review is redrafted for changed targets or finished rollouts", () => {
  const idle = psi({ changes: false });
  expect(wantsDraft(waiting())).toBe(false);
  expect(wantsDraft(waiting({ items: stale }))).toBe(true);
  expect(wantsDraft(approved({ items: stale }))).toBe(false);
  expect(wantsDraft(waiting({ items: [observedItem(idle, { rollout: health("waiting") })] }))).toBe(false);
  expect(wantsDraft(waiting({ items: [observedItem(idle, { rollout: health("done") })] }))).toBe(true);
});

describe("while approvals cannot be trusted", () => {
  const operator = { version: "v2", mustPin: true, withheld: "Policy p is missing" };
  const spec = { approvedPlan: examplePlanHash };

  test("an approved plan waits and reports the cause", () => {
    const { status } = transition(approved({ operator, spec }));
    expect(status.review).toEqual({
      planHash: examplePlanHash,
      generation: generation + 1,
      forced: true,
      reason: "PolicyNotInForce",
    });
    expect([status.phase, conditionOf(status, "ReviewRequired")?.message]).toEqual([
      "ReviewRequired",
      "Execution is disabled because approvals cannot be trusted: Policy p is missing. Next: reinstall the admission policies of this release, then approve the plan again.",
    ]);
  });

  test("a running plan stops before its next item", () => {
    expect(transition(observedWith("InProgress", { operator, spec })).status.phase).toBe("ReviewRequired");
  });

  test("earlier approvals stay invalid, and a new one counts", () => {
    const { status: was } = transition(approved({ operator, spec }));
    const trusted = { version: "v2", mustPin: true };
    const later = (newer: number) =>
      transition(
        observedWith("ReviewRequired", { operator: trusted, spec, stored: was, generation: generation + newer }),
      );
    expect(later(1).status.phase).toBe("ReviewRequired");
    expect(later(2).status.phase).toBe("InProgress");
  });
});
