// An example of this package: shows the state of a config and its next step, and approves the plan.

import type { VirtPlatformConfig } from "@virt/api";
import { expect, test } from "vitest";
import { approvalPatches, nextStepText, profileRow, readDiff, viewRollout } from "./index.ts";

const planHash = "3f".repeat(32);
const now = Date.parse("2026-01-01T00:10:00Z");
const config: VirtPlatformConfig = {
  apiVersion: "advisor.kubevirt.io/v1alpha1",
  kind: "VirtPlatformConfig",
  metadata: { name: "load-aware-rebalancing" },
  spec: { profile: "load-aware-rebalancing", action: "DryRun", failurePolicy: "Abort", bypassOptimisticLock: false },
  status: {
    phase: "ReviewRequired",
    planHash,
    impactSeverity: "High",
    conditions: [
      {
        type: "ReviewRequired",
        status: "True",
        reason: "ReviewRequired",
        message: "Plan ready for review.",
        lastTransitionTime: "2026-01-01T00:00:00Z",
      },
    ],
  },
};

test("a plan has a row with its next step, and an approval by its hash", () => {
  const row = profileRow(config, now);
  expect(row).toMatchObject({ phase: "ReviewRequired", impact: "High", isDrifted: false, planSeconds: 600 });
  expect(nextStepText(row.next, "kubectl virt-advisor")).toBe(
    `review the diff and the impact, then approve this plan with: kubectl virt-advisor approve load-aware-rebalancing --hash ${planHash.slice(0, 12)}`,
  );
  expect(approvalPatches(config, planHash)).toEqual([
    {
      type: "json",
      body: [
        { op: "test", path: "/status/planHash", value: planHash },
        { op: "add", path: "/spec/approvedPlan", value: planHash },
        { op: "add", path: "/spec/action", value: "Apply" },
      ],
    },
  ]);
});

test("a diff has numbered lines, and a rollout counts its pools", () => {
  const { hunks } = readDiff("--- a (Kind)\n+++ a (Kind)\n@@ -4,2 +4,2 @@\n spec:\n-  mode: A\n+  mode: B\n");
  expect(hunks[0]?.lines).toEqual([
    { kind: "context", text: "spec:", old: 4, fresh: 4 },
    { kind: "removed", text: "  mode: A", old: 5 },
    { kind: "added", text: "  mode: B", fresh: 5 },
  ]);
  const rollout = {
    summary: "1 of 3 nodes done",
    remaining: { lowSeconds: 1200, highSeconds: 3000 },
    pools: [{ name: "worker", total: 3, done: 1, inHand: 1, waiting: 1, degraded: 0 }],
    nodes: [{ name: "worker-1", pool: "worker", phase: "Draining" as const, since: "2026-01-01T00:07:30Z" }],
    findings: [],
    more: { pools: 0, nodes: 0, findings: 0 },
  };
  const view = viewRollout({ status: { rollout } }, now, () => 7);
  expect(view?.pools).toEqual([{ name: "worker", total: 3, updated: 1, updating: 1, waiting: 1, degraded: 0 }]);
  expect(view?.nodes).toEqual([
    {
      name: "worker-1",
      pool: "worker",
      phase: "Draining",
      seconds: 150,
      since: "2026-01-01T00:07:30Z",
      vms: 7,
      isInHand: true,
    },
  ]);
  expect(view?.remaining?.text).toBe("20–50 minutes");
});
