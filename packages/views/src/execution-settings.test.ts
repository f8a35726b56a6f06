import { expect, test } from "vitest";
import { executionSettings, executionText } from "./execution-settings.ts";

const defaults = { failurePolicy: "Abort", bypassOptimisticLock: false } as const;

test("shows every setting that an approval covers, defaults included", () => {
  expect(executionText(defaults)).toBe(
    "failurePolicy Abort, bypassOptimisticLock false, waitTimeout none, guards none",
  );
  expect(executionSettings({ ...defaults, guards: {} })).toEqual(executionSettings(defaults));
});

test("names the limits of guards and the consequence of a bypassed lock", () => {
  const spec = {
    failurePolicy: "Continue",
    bypassOptimisticLock: true,
    waitTimeout: "24h",
    guards: { maxBlockingVMs: 0, requireCapacity: true },
  } as const;
  expect(executionText(spec)).toBe(
    "failurePolicy Continue, bypassOptimisticLock true (changed targets are overwritten, and drift is corrected automatically), waitTimeout 24h, guards maxBlockingVMs 0, requireCapacity true",
  );
});
