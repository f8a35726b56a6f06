import type { Review } from "@virt/api";
import { expect, test } from "vitest";
import { inputConditions } from "./conditions/status-conditions.ts";
import { reviewText } from "./review-text.ts";
import { conditionsIn, examplePlanHash, generation, input, observedWith, spec } from "./testing/observed-fixtures.ts";

const reviewFor = (reason: Review["reason"]): Review => ({
  planHash: examplePlanHash,
  generation,
  forced: true,
  reason,
});
const short = examplePlanHash.slice(0, 12);
const other = "f".repeat(64);

test("a preview explains how to execute it, by name if required", () => {
  const preview = observedWith("ReviewRequired", { spec: spec({ action: "DryRun" }) });
  const seed = "Plan ready for review. Change action to 'Apply' to execute.";
  const named = `Plan ready for review. Set spec.approvedPlan to '${examplePlanHash.slice(0, 12)}' and action to 'Apply' to execute.`;
  expect(reviewText(preview, reviewFor("Requested"))).toBe(seed);
  expect(reviewText({ ...preview, operator: { version: "v2", mustPin: true } }, reviewFor("Requested"))).toBe(named);
  const pinned = (approvedPlan: string) => ({ ...preview, spec: spec({ action: "DryRun", approvedPlan }) });
  expect(reviewText(pinned(other), reviewFor("Requested"))).toBe(named);
  expect(reviewText(pinned(examplePlanHash), reviewFor("Requested"))).toBe(seed);
});

test("a waiting Apply reports the changed input with both values", () => {
  const observed = observedWith("ReviewRequired", { inputs: [input({ now: "10", used: "10" })] });
  expect(reviewText(observed, reviewFor("InputChanged"))).toBe(
    `Plan ${short} needs a new review: HyperConverged parallelMigrationsPerCluster changed 5 → 10.`,
  );
});

test("an input that was never applied has the text of its condition", () => {
  const observed = observedWith("ReviewRequired", {
    stored: { conditions: conditionsIn("ReviewRequired", [inputConditions.changed("x changed (1 -> 2)")]) },
  });
  expect(reviewText(observed, reviewFor("InputChanged"))).toBe(`Plan ${short} needs a new review: x changed (1 -> 2).`);
});

test("reports an approval of another plan beside other changes", () => {
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
