import type { Condition, Impact, Item, RolloutFinding, RolloutStatus, Status, VirtPlatformConfig } from "@virt/api";
import type { KubeObject } from "@virt/objects";
import { expect, test } from "vitest";
import { configChangeLines, nodeChangeLines } from "./change-lines.ts";

const config = (status: Status): VirtPlatformConfig => ({
  apiVersion: "advisor.kubevirt.io/v1alpha1",
  kind: "VirtPlatformConfig",
  metadata: { name: "load-aware-rebalancing" },
  spec: { profile: "load-aware-rebalancing", action: "Apply", failurePolicy: "Abort", bypassOptimisticLock: false },
  status,
});
const said = (type: string, message: string): Condition => ({
  type,
  status: "True",
  reason: type,
  message,
  lastTransitionTime: "2026-01-01T00:00:00Z",
});
const item = (state: string, message: string) => ({ name: "enable-psi-metrics", state, message }) as Item;
const finding = (message: string, command?: string): RolloutFinding => ({
  id: "PoolPaused",
  severity: "blocking",
  message,
  ...(command !== undefined && { command }),
  since: "2026-01-01T00:00:00Z",
});
const rolloutWith = (...findings: readonly RolloutFinding[]) => ({ findings }) as unknown as RolloutStatus;
const review = { planHash: "", generation: 3, forced: true, reason: "InputChanged" } as const;

const cases: readonly { reason: string; before: Status; after: Status; lines: readonly string[] }[] = [
  {
    reason: "a new phase",
    before: { phase: "Ignored" },
    after: { phase: "Drafting" },
    lines: ["load-aware-rebalancing: Drafting"],
  },
  {
    reason: "missing prerequisites in one line",
    before: { phase: "Drafting" },
    after: { phase: "PrerequisiteFailed", conditions: [said("PrerequisiteFailed", "Missing:\n  - This: get it\n")] },
    lines: ["load-aware-rebalancing: PrerequisiteFailed: Missing: This: get it"],
  },
  {
    reason: "the impact of a plan and the reason for its review",
    before: { phase: "Drafting" },
    after: {
      phase: "ReviewRequired",
      impactSeverity: "Low",
      review,
      conditions: [said("InputDependencyDrift", "HCO")],
    },
    lines: ["load-aware-rebalancing: ReviewRequired: impact Low: HCO"],
  },
  {
    reason: "the summary of a new assessment",
    before: { phase: "ReviewRequired" },
    after: { phase: "ReviewRequired", impact: { summary: "Reboots 3 nodes (worker pool)." } as Impact },
    lines: ["  impact: Reboots 3 nodes (worker pool)."],
  },
  {
    reason: "a new blocker once, with its command",
    before: { phase: "InProgress", rollout: rolloutWith(finding("Node worker-1 is cordoned")) },
    after: {
      phase: "InProgress",
      rollout: rolloutWith(
        finding("Pool worker is paused", "oc edit mcp worker"),
        finding("Node worker-1 is cordoned"),
      ),
    },
    lines: ["  blocking: Pool worker is paused. Next: oc edit mcp worker"],
  },
  {
    reason: "the progress of a running item",
    before: { phase: "InProgress", items: [item("InProgress", "1/3")] },
    after: { phase: "InProgress", items: [item("InProgress", "2/3")] },
    lines: ["  enable-psi-metrics: 2/3"],
  },
  {
    reason: "nothing without a visible change",
    before: { phase: "InProgress", observedGeneration: 1, items: [item("InProgress", "1/3")] },
    after: { phase: "InProgress", observedGeneration: 2, items: [item("InProgress", "1/3")] },
    lines: [],
  },
];

test.each(cases)("the demo prints $reason", ({ before, after, lines }) => {
  expect(configChangeLines({ before: config(before), after: config(after) })).toEqual(lines);
});

test("the demo prints the deletion of a config", () => {
  expect(configChangeLines({ before: config({ phase: "Ignored" }) })).toEqual(["load-aware-rebalancing was deleted"]);
});

const node = (ready: string, unschedulable: boolean): KubeObject => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "worker-0" },
  spec: { unschedulable },
  status: { conditions: [{ type: "Ready", status: ready }] },
});

test("the demo prints only drains, reboots and returns of a node", () => {
  const course = [
    node("True", false),
    node("True", true),
    node("Unknown", true),
    node("True", true),
    node("True", false),
  ];
  const lines = course.flatMap((after, index) => {
    const before = course[index - 1];
    return nodeChangeLines(before ? { before, after } : { after });
  });
  expect(lines).toEqual(["  worker-0 is draining", "  worker-0 is rebooting", "  worker-0 is schedulable again"]);
});
