import type { ImpactGap, RolloutFinding, RolloutStatus } from "@virt/api";
import { expect, test } from "vitest";
import { gapText, isRolloutCurrent, noBlockerText, uncheckedText } from "./blocker-texts.ts";
import { viewRollout } from "./rollout-progress.ts";

const warning: RolloutFinding = { id: "CordonedByPerson", severity: "warning", message: "", since: "" };
const gap: ImpactGap = { what: "VirtualMachineInstance", reason: "Forbidden", message: "403 Forbidden" };
const rollout = (findings: readonly RolloutFinding[], notAssessed?: readonly ImpactGap[]): RolloutStatus => ({
  summary: "",
  pools: [{ name: "worker", total: 3, done: 3, inHand: 0, waiting: 0, degraded: 0 }],
  nodes: [],
  findings,
  ...(notAssessed && { notAssessed }),
  more: { pools: 0, nodes: 0, findings: 0 },
});
const view = (status: RolloutStatus) => {
  const shown = viewRollout({ status: { rollout: status } }, 0);
  if (shown === undefined) throw new Error("no rollout is shown");
  return shown;
};

test("reports no blocker only if every kind could be checked", () => {
  expect(noBlockerText([])).toBe("Nothing is blocking this rollout.");
  expect(noBlockerText([], "the pools")).toBe("Nothing is blocking the pools.");
  expect(noBlockerText(["Node", "Pod"])).toBe("Found no blocking cause, but could not check: Node, Pod.");
});

test("lists unchecked kinds with and without findings", () => {
  expect(uncheckedText(view(rollout([])))).toBeUndefined();
  expect(uncheckedText(view(rollout([], [gap])))).toBe(
    "Found no blocking cause, but could not check: VirtualMachineInstance.",
  );
  expect(uncheckedText(view(rollout([warning], [gap])))).toBe(
    "Could not check: VirtualMachineInstance. Findings may be missing.",
  );
});

test("an updated rollout with an unread input is current", () => {
  expect(isRolloutCurrent(view(rollout([])))).toBe(false);
  expect(isRolloutCurrent(view(rollout([], [gap])))).toBe(true);
});

test("shows a gap with its reason and message, without control characters", () => {
  const [shown] = view(rollout([], [{ ...gap, message: "403\u001b[31m" }])).notAssessed;
  expect(shown && gapText(shown)).toBe("VirtualMachineInstance: Forbidden (403 [31m)");
  expect(gapText({ ...gap, message: "" })).toBe("VirtualMachineInstance: Forbidden");
});
