import { phases } from "@virt/api";
import { expect, test } from "vitest";
import { isDriftWatched } from "./drift-rows.ts";

test("drift is watched during a rollout, after it, and after a failure", () => {
  expect(phases.filter((phase) => !isDriftWatched(phase))).toEqual([
    "Pending",
    "Drafting",
    "PrerequisiteFailed",
    "ReviewRequired",
    "Ignored",
  ]);
  expect(isDriftWatched(undefined)).toBe(false);
});
