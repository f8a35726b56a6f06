import { phases } from "@virt/api";
import { expect, test } from "vitest";
import { nextStep } from "./next-step.ts";
import { generation, planHash, spec } from "./observed-world.ts";

const review = { planHash, generation, forced: true, reason: "NotRequested" } as const;

test("a person is told what to do where one must act, and nowhere else", () => {
  const told = phases.filter((phase) => nextStep(phase, { review }, spec()) !== undefined);
  expect(told).toEqual(["PrerequisiteFailed", "ReviewRequired", "CompletedWithErrors", "Failed", "Drifted"]);
});

test("a plan that must be named is named", () => {
  const said = nextStep("ReviewRequired", { review: { ...review, reason: "ApprovalRequired" } }, spec());
  expect(said).toContain(`set spec.approvedPlan to '${planHash}'`);
});

test("nobody needs to act on a preview, or on drift that is corrected", () => {
  expect(nextStep("ReviewRequired", { review }, spec({ action: "DryRun" }))).toBeUndefined();
  expect(nextStep("Drifted", {}, spec({ bypassOptimisticLock: true }))).toBeUndefined();
});
