import { phases } from "@virt/api";
import { expect, test } from "vitest";
import { hasPlanBegun, isPlanGuarded } from "./phases.ts";

test("a plan has begun from its rollout on, and after a failure", () => {
  expect(phases.filter((phase) => !hasPlanBegun(phase))).toEqual([
    "Pending",
    "Drafting",
    "PrerequisiteFailed",
    "ReviewRequired",
    "Ignored",
  ]);
  expect(hasPlanBegun(undefined)).toBe(false);
});

test("a plan is guarded after its end, with any outcome", () => {
  expect(phases.filter(isPlanGuarded)).toEqual([
    "Completed",
    "CompletedWithErrors",
    "CompletedWithUpgrade",
    "Failed",
    "Drifted",
  ]);
});

test("an unknown phase has no properties", () => {
  expect(hasPlanBegun("Rehearsing" as (typeof phases)[number])).toBe(false);
});
