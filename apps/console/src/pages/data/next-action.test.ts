import { phases, type VirtPlatformConfig } from "@virt/api";
import { profileRow } from "@virt/views";
import { expect, test } from "vitest";
import { nextActionOf } from "./next-action.ts";

type Status = NonNullable<VirtPlatformConfig["status"]>;

function actionFor(status: Partial<Status>) {
  const config = {
    apiVersion: "advisor.kubevirt.io/v1alpha1",
    kind: "VirtPlatformConfig",
    metadata: { name: "load-aware" },
    spec: { profile: "load-aware", action: "DryRun" },
    status: { planHash: "a".repeat(64), ...status },
  } as unknown as VirtPlatformConfig;
  return nextActionOf({ row: profileRow(config, 0), hasRollout: config.status?.rollout !== undefined });
}

const rollout = {
  pools: [],
  nodes: [],
  findings: [],
  summary: "",
  more: { pools: 0, nodes: 0, findings: 0 },
} as unknown as NonNullable<Status["rollout"]>;

test.each(phases)("the sentence for %s contains no command", (phase) => {
  const { text } = actionFor({ phase, rollout });
  expect(text).not.toMatch(/kubectl|\brun\b|\bwith\.|:\s*$/);
  expect(text).toMatch(/^[A-Z].*\.$/);
});

test.each([
  { phase: "InProgress", promise: "watching the rollout comes before its plan", actions: ["rollout", "plan"] },
  { phase: "ReviewRequired", promise: "opening the plan comes before its rollout", actions: ["plan", "rollout"] },
] as const)("$phase: $promise", ({ phase, actions }) => {
  expect(actionFor({ phase, rollout })).toMatchObject({ actions, hasPrimary: true });
});

test("a completed plan has no primary action", () => {
  expect(actionFor({ phase: "Completed", rollout })).toMatchObject({ text: "Nothing to do.", hasPrimary: false });
});

test("keeps the command of a step for terminal users", () => {
  const command = "kubectl virt-advisor plan load-aware";
  expect(actionFor({ phase: "Ignored" })).toMatchObject({ actions: ["draft"], command });
});
