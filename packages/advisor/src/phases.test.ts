import { phases } from "@virt/api";
import { expect, test } from "vitest";
import { hasPlanBegun, isPlanGuarded } from "./phases.ts";

test("drift is watched during a rollout, after it, and after a failure", () => {
  expect(phases.filter((phase) => !hasPlanBegun(phase))).toEqual([
    "Pending",
    "Drafting",
    "PrerequisiteFailed",
    "ReviewRequired",
    "Ignored",
  ]);
  expect(hasPlanBegun(undefined)).toBe(false);
});

test("a plan is guarded after it has ended, however it ended", () => {
  expect(phases.filter(isPlanGuarded)).toEqual([
    "Completed",
    "CompletedWithErrors",
    "CompletedWithUpgrade",
    "Failed",
    "Drifted",
  ]);
});

test("a phase that this version does not know has no property", () => {
  expect(hasPlanBegun("Rehearsing" as (typeof phases)[number])).toBe(false);
});
