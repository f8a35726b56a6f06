import { expect, test } from "vitest";
import { conditionOf } from "../conditions/read.ts";
import { descheduler, drafted, generation, now, observed, psi, seenItem } from "../observed-world.ts";
import { transition } from "../transition.ts";

const missing = { kind: "missing", message: "Missing required dependencies:\n  - A (b.v1): c\n" } as const;

test("2.4: what is missing is said anew when it changes, and looked for every two minutes", () => {
  const { status, again } = transition(observed("PrerequisiteFailed", { blocked: missing }));
  expect(conditionOf(status, "PrerequisiteFailed")).toMatchObject({ status: "True", message: missing.message });
  expect(again).toEqual({ when: "at", atMs: now + 120_000 });
});

test("2.4: the plan is drafted when nothing is missing any more", () => {
  const { status, again } = transition(observed("PrerequisiteFailed"));
  expect(status.phase).toBe("Drafting");
  expect(again).toEqual({ when: "at-once" });
});

test("2.3: an Apply that waited for its prerequisites runs when they arrive", () => {
  const waited = transition(observed("PrerequisiteFailed")).status;
  const { status } = transition(observed("Drafting", { was: waited, draft: drafted([psi()]) }));
  expect(status).toMatchObject({ phase: "InProgress", executedGeneration: generation });
});

test("2.3: one that was carried out before they vanished does not run again", () => {
  const { status } = transition(observed("PrerequisiteFailed", { was: { executedGeneration: generation } }));
  const next = transition(observed("Drafting", { was: status, draft: drafted([psi()]) })).status;
  expect(next).toMatchObject({ phase: "ReviewRequired", review: { forced: true, reason: "NotRequested" } });
});

test("5.4: the impact is that of the items, or of the profile where there are none", () => {
  const low = seenItem(descheduler());
  expect(transition(observed("PrerequisiteFailed", { blocked: missing, items: [low] })).status.impactSeverity).toBe(
    "Low",
  );
  expect(transition(observed("PrerequisiteFailed", { blocked: missing, items: [] })).status.impactSeverity).toBe(
    "High",
  );
});

test("2.4: Failed stays, and says why", () => {
  const seen = observed("Failed");
  const { status, again } = transition(seen);
  expect(status.phase).toBe("Failed");
  expect(conditionOf(status, "Failed")).toEqual(conditionOf(seen.was, "Failed"));
  expect(again).toEqual({ when: "on-change" });
});
