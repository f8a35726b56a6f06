import type { Impact, VirtPlatformConfig } from "@virt/api";
import { expect, test } from "vitest";
import { planBlocks, planData } from "./plan-blocks.ts";
import { renderBlocks } from "./testing/render-blocks.ts";

const blocker = { node: "w-0", kind: "VirtualMachineInstance", namespace: "shop", name: "till", reason: "Disks" };
const impact = { summary: "Reboots 3 nodes", blockers: [blocker], more: { pools: 0, blockers: 299, stops: 0 } };
const review = { type: "ReviewRequired", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" };
const waiting = (given: Pick<Impact, "vms" | "pods">, phase = "ReviewRequired") =>
  ({
    metadata: { name: "x", generation: 1 },
    spec: { profile: "x", action: "DryRun", failurePolicy: "Abort", bypassOptimisticLock: false },
    status: { phase, conditions: [review], planHash: "a".repeat(64), impact: { ...impact, ...given } },
  }) as unknown as VirtPlatformConfig;
const vms = { migrate: 5, block: 300, stop: 0, restart: 0, external: 0, starting: 0, unknown: 0 };
const textOf = (config: VirtPlatformConfig, isWide = false) =>
  renderBlocks(planBlocks(config, { now: Date.parse("2026-01-01T00:05:00Z"), program: "k", isWide }));

test("prints the number of blockers and the command for their options", () => {
  const pointer = "To see the options, run: k impact x";
  expect(textOf(waiting({ vms, pods: { block: 1, delete: 0 } }))).toContain(
    `Blockers: 300 VMs and 1 pod block the drain until you act. ${pointer}`,
  );
  expect(textOf(waiting({ vms: { ...vms, block: 1 } }))).toContain("Blockers: 1 VM blocks the drain until you act.");
});

test("omits the blockers line without blockers or after the review", () => {
  expect(textOf(waiting({ vms: { ...vms, block: 0 }, pods: { block: 0, delete: 2 } }))).not.toContain("Blockers");
  expect(textOf(waiting({ vms }, "Completed"))).not.toContain("Blockers");
});

test("-o wide shows the start of the wait next to its age", () => {
  expect(textOf(waiting({ vms }))).toContain("(waiting for review for 5m)");
  expect(textOf(waiting({ vms }), true)).toContain("(waiting for review for 5m since 2026-01-01T00:00:00Z)");
});

test("the JSON of a plan lists the options for each blocker", () => {
  const options = expect.arrayContaining([expect.objectContaining({ command: "virtctl stop till -n shop" })]);
  expect(planData(waiting({ vms }), 0)).toMatchObject({ impact: { blockers: [{ name: "till", options }] } });
});
