import { expect, test } from "vitest";
import { conditionOf } from "./conditions/status-conditions.ts";
import { enterPhase } from "./enter-phase.ts";
import {
  appliedItem,
  deschedulerItem,
  drafted,
  generation,
  health,
  now,
  observedItem,
  observedWith,
  psi,
} from "./testing/observed-fixtures.ts";
import { transition } from "./transition.ts";

const missing = { kind: "missing", message: "Missing required dependencies:\n  - A (b.v1): c\n" } as const;

test("reports changed missing prerequisites, and checks every two minutes", () => {
  const { status, requeue } = transition(observedWith("PrerequisiteFailed", { blocked: missing }));
  expect(conditionOf(status, "PrerequisiteFailed")).toMatchObject({ status: "True", message: missing.message });
  expect(requeue).toEqual({ when: "at", atMs: now + 120_000 });
});

test("drafts the plan when no prerequisite is missing", () => {
  const { status, requeue } = transition(observedWith("PrerequisiteFailed"));
  expect(status.phase).toBe("Drafting");
  expect(requeue).toEqual({ when: "at-once" });
});

test("executes an Apply when its prerequisites become available", () => {
  const waited = transition(observedWith("PrerequisiteFailed")).status;
  const { status } = transition(observedWith("Drafting", { stored: waited, draft: drafted([psi()]) }));
  expect(status).toMatchObject({ phase: "InProgress", executedGeneration: generation });
});

test("does not repeat an execution after its prerequisites return", () => {
  const { status } = transition(observedWith("PrerequisiteFailed", { stored: { executedGeneration: generation } }));
  const next = transition(observedWith("Drafting", { stored: status, draft: drafted([psi()]) })).status;
  expect(next).toMatchObject({ phase: "ReviewRequired", review: { forced: true, reason: "NotRequested" } });
});

test("the impact is that of the items, or without items of the profile", () => {
  const low = observedItem(deschedulerItem());
  expect(transition(observedWith("PrerequisiteFailed", { blocked: missing, items: [low] })).status.impactSeverity).toBe(
    "Low",
  );
  expect(transition(observedWith("PrerequisiteFailed", { blocked: missing, items: [] })).status.impactSeverity).toBe(
    "High",
  );
});

test("Failed keeps its phase and message", () => {
  const observed = observedWith("Failed");
  const { status, requeue } = transition(observed);
  expect(status.phase).toBe("Failed");
  expect(conditionOf(status, "Failed")).toEqual(conditionOf(observed.stored, "Failed"));
  expect(requeue).toEqual({ when: "on-change" });
});

test("Ready reports the problem of a rollout and that it continues automatically", () => {
  const rollout = { ...health("waiting"), problem: "MachineConfigPool 'worker': node worker-1 is degraded" };
  const observed = observedWith("InProgress", { items: [observedItem(appliedItem(psi()), { rollout })] });
  const { status } = enterPhase(observed, "InProgress", { requeue: { when: "at-once" } });
  const next = "Next: fix the cause. The rollout then continues automatically.";
  expect(conditionOf(status, "Ready")?.message).toBe(`Applying plan configuration: ${rollout.problem}. ${next}`);
});
