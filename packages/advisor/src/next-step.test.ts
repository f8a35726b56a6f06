import { phases, type Review, type Spec } from "@virt/api";
import { describe, expect, test } from "vitest";
import { inputConditions } from "./conditions/status-conditions.ts";
import { nextStep, reviewText } from "./next-step.ts";
import type { Drift } from "./observed.ts";
import {
  conditionsIn,
  deschedulerItem,
  drift,
  examplePlanHash,
  generation,
  input,
  observedItem,
  observedWith,
  spec,
} from "./testing/observed-fixtures.ts";

const review = { planHash: examplePlanHash, generation, forced: true, reason: "NotRequested" } as const;

const asked = (given: Partial<Spec> = {}, mustPin = false) => ({
  spec: spec(given),
  operator: { version: "v2", mustPin },
  items: [],
});
const patch = (body: string) => `kubectl patch vpconf ${spec().profile} --type=merge -p '${body}'`;

test("a person is told what to do where one must act, and nowhere else", () => {
  const actionable = phases.filter((phase) => nextStep(phase, { review }, asked()) !== undefined);
  expect(actionable).toEqual(["PrerequisiteFailed", "ReviewRequired", "CompletedWithErrors", "Failed", "Drifted"]);
});

test("a plan that must be named is approved by one command with 12 digits of its hash", () => {
  const command = patch(`{"spec":{"action":"Apply","approvedPlan":"${examplePlanHash.slice(0, 12)}"}}`);
  const other = "f".repeat(64);
  for (const one of [asked({}, true), asked({ approvedPlan: other }), asked({ approvedPlan: examplePlanHash }, true)])
    expect(nextStep("ReviewRequired", { review }, one)).toBe(`review status.items, then run: ${command}`);
});

test("a plan that need not be named is approved by asking for it again", () => {
  const command = `${patch('{"spec":{"action":"DryRun"}}')} && ${patch('{"spec":{"action":"Apply"}}')}`;
  expect(nextStep("ReviewRequired", { review }, asked())).toBe(`review status.items, then run: ${command}`);
  expect(nextStep("Failed", {}, asked())).toBe(`fix the cause, then run: ${command}`);
});

test("a preview that failed is drafted again by a command that applies nothing", () => {
  const command = `${patch('{"spec":{"action":"Ignore"}}')} && ${patch('{"spec":{"action":"DryRun"}}')}`;
  expect(nextStep("Failed", {}, asked({ action: "DryRun" }))).toBe(`fix the cause, then run: ${command}`);
});

test("nobody needs to act on a preview, or on drift that is corrected", () => {
  expect(nextStep("ReviewRequired", { review }, asked({ action: "DryRun" }))).toBeUndefined();
  expect(nextStep("Drifted", {}, asked({ bypassOptimisticLock: true }))).toBeUndefined();
});

const drifted = (kind: Drift["kind"], name: string) => {
  const item = deschedulerItem({ name, state: "Completed" });
  return observedItem({ ...item, targetRef: { ...item.targetRef, name } }, { drift: drift({ kind }) });
};

describe("drift by admission", () => {
  const find =
    "find the webhook or policy with: kubectl get mutatingwebhookconfigurations (or kubectl get mutatingadmissionpolicies, if the API server supports them)";
  const ignore = patch('{"spec":{"action":"Ignore"}}');
  const exempt = (object: string) =>
    `${find}; exempt ${object} there, or accept the stored values and stop managing them with: ${ignore}`;

  test("is ended at the webhook or policy, since nobody has made a change that could be undone", () => {
    const mutated = { ...asked(), items: [drifted("mutated", "one")] };
    expect(nextStep("Drifted", {}, mutated)).toBe(exempt("KubeDescheduler 'one'"));
    const both = { ...asked(), items: [drifted("mutated", "one"), drifted("mutated", "two")] };
    expect(nextStep("Drifted", {}, both)).toBe(exempt("KubeDescheduler 'one', KubeDescheduler 'two'"));
  });

  test("needs a person even where drift is corrected: a write would change nothing", () => {
    const mutated = { ...asked({ bypassOptimisticLock: true }), items: [drifted("mutated", "one")] };
    expect(nextStep("Drifted", {}, mutated)).toBe(exempt("KubeDescheduler 'one'"));
  });

  test("is distinguished from a change that a person made beside it", () => {
    const items = [drifted("changed", "one"), drifted("mutated", "two")];
    const step = nextStep("Drifted", {}, { ...asked(), items });
    expect(step).toContain("undo the change, or to apply the plan again, run: ");
    expect(step).toContain(`; for changes made by admission, ${exempt("KubeDescheduler 'two'")}`);
    const corrected = nextStep("Drifted", {}, { ...asked({ bypassOptimisticLock: true }), items });
    expect(corrected).toBe(exempt("KubeDescheduler 'two'"));
  });
});

const reviewFor = (reason: Review["reason"]): Review => ({
  planHash: examplePlanHash,
  generation,
  forced: true,
  reason,
});
const short = examplePlanHash.slice(0, 12);
const other = "f".repeat(64);

test("a preview says how to execute it, and that it must be named where it must", () => {
  const preview = observedWith("ReviewRequired", { spec: spec({ action: "DryRun" }) });
  const seed = "Plan ready for review. Change action to 'Apply' to execute.";
  const named = `Plan ready for review. Set spec.approvedPlan to '${examplePlanHash.slice(0, 12)}' and action to 'Apply' to execute.`;
  expect(reviewText(preview, reviewFor("Requested"))).toBe(seed);
  expect(reviewText({ ...preview, operator: { version: "v2", mustPin: true } }, reviewFor("Requested"))).toBe(named);
  const pinned = (approvedPlan: string) => ({ ...preview, spec: spec({ action: "DryRun", approvedPlan }) });
  expect(reviewText(pinned(other), reviewFor("Requested"))).toBe(named);
  expect(reviewText(pinned(examplePlanHash), reviewFor("Requested"))).toBe(seed);
});

test("an Apply that waits names its plan and the input that changed, with both values", () => {
  const observed = observedWith("ReviewRequired", { inputs: [input({ now: "10", used: "10" })] });
  expect(reviewText(observed, reviewFor("InputChanged"))).toBe(
    `Plan ${short} needs a new review: HyperConverged parallelMigrationsPerCluster changed 5 → 10.`,
  );
});

test("an input that was never in force is named as its condition names it", () => {
  const observed = observedWith("ReviewRequired", {
    stored: { conditions: conditionsIn("ReviewRequired", [inputConditions.changed("x changed (1 -> 2)")]) },
  });
  expect(reviewText(observed, reviewFor("InputChanged"))).toBe(`Plan ${short} needs a new review: x changed (1 -> 2).`);
});

test("an approval of another plan is named, with whatever else moved", () => {
  const asked = { spec: spec({ approvedPlan: other }), inputs: [input({ now: "10", used: "10" })] };
  const observed = observedWith("ReviewRequired", asked);
  expect(reviewText(observed, reviewFor("ApprovalRequired"))).toBe(
    `Plan ${short} needs a new review: spec.approvedPlan names plan ffffffffffff.`,
  );
  expect(reviewText(observed, reviewFor("InputChanged"))).toBe(
    `Plan ${short} needs a new review: HyperConverged parallelMigrationsPerCluster changed 5 → 10; spec.approvedPlan names plan ffffffffffff.`,
  );
  expect(reviewText(observedWith("ReviewRequired"), reviewFor("OperatorUpgraded"))).toBe(
    `Plan ${short} needs a new review: it was drafted by operator version v2 and has not been approved since.`,
  );
  expect(reviewText(observedWith("ReviewRequired"), reviewFor("ApprovalRequired"))).toBe(
    `Plan ${short} needs a new review: spec.approvedPlan does not name it.`,
  );
});
