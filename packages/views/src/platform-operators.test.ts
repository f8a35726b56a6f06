import { autopilotStates } from "@virt/cluster";
import { expect, test } from "vitest";
import { autopilotText, combinedStateText, type PlatformOperators, platformOperators } from "./platform-operators.ts";

const since = "2026-01-01T00:00:00Z";
const report = (state: string, isActive: boolean, ...managers: readonly string[]) => ({
  activation: { mode: "opt-in", isActive },
  autopilot: { state, since, namespace: "openshift-cnv" },
  objects: managers.map((managedBy) => ({ object: "Thing a", managedBy })),
});
const read = (...args: Parameters<typeof report>): PlatformOperators => {
  const found = platformOperators(report(...args));
  if (found === undefined) throw new Error("the report has no state");
  return found;
};

test.each([
  ["Active", true, "Both"],
  ["Active", false, "AutopilotOnly"],
  ["Off", true, "Alone"],
  ["Idle", false, "None"],
] as const)("an autopilot that is %s, with an active controller: %s, is %s", (state, isActive, combined) => {
  expect(read(state, isActive)).toMatchObject({ autopilot: state, isActive, combined, since });
});

test("counts the objects that the autopilot manages", () => {
  const count = (...managers: readonly string[]) => autopilotText(read("Active", true, ...managers));
  expect(count("virt-platform-autopilot", "none", "virt-platform-operator", "VirtPlatformConfig/a")).toBe(
    "virt-platform-autopilot: active (1 object)",
  );
  expect(count("virt-platform-autopilot", "virt-platform-autopilot")).toBe(
    "virt-platform-autopilot: active (2 objects)",
  );
});

test("shows both operators unless the autopilot is absent", () => {
  const texts = autopilotStates.map((state) => combinedStateText(read(state, true)));
  expect(texts).toEqual([
    undefined,
    "Platform operators: Alone (virt-platform-operator is active, virt-platform-autopilot is off)",
    "Platform operators: Alone (virt-platform-operator is active, virt-platform-autopilot is idle)",
    "Platform operators: Both (virt-platform-operator is active, virt-platform-autopilot is active)",
  ]);
  expect(autopilotText(read("Absent", true))).toBeUndefined();
});

test("shows no state if the report is from an earlier version", () => {
  for (const other of [null, "x", {}, { autopilot: "on" }, { autopilot: { state: "Unknown" } }])
    expect(platformOperators(other)).toBeUndefined();
});
