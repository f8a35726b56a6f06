import { type Phase, phases, type Status } from "@virt/api";
import { expect, test } from "vitest";
import { reconcileFacts } from "../testing/facts-fixtures.ts";
import { observedWith } from "../testing/observed-fixtures.ts";
import { restoreStatus } from "./refuse-plan.ts";

const rollouts = [{ machineConfig: "99", startTime: "2026-01-01T00:00:00Z", before: [] }];
const own = (phase: Phase): Status => ({ ...observedWith(phase).stored, rollouts });
const restored = (phase: Phase, action: "Apply" | "DryRun" | "Ignore" = "Apply") =>
  restoreStatus(reconcileFacts({ spec: { action } }).config, { own: own(phase), change: "planHash" }, reconcileFacts());

test("redrafts an open plan, and earlier approvals do not count", () => {
  for (const phase of ["Pending", "Drafting", "ReviewRequired", "InProgress"] as const) {
    const { planHash, items, executedGeneration } = own(phase);
    expect(restored(phase)).toMatchObject({ phase: "Drafting", rollouts, items, planHash });
    expect(restored(phase).executedGeneration).toBe(executedGeneration);
    const review = { planHash, forced: true, reason: "PlanTampered", message: "planHash" };
    expect(restored(phase).review).toMatchObject(review);
  }
});

test("restores any other status that this process wrote", () => {
  const closed = phases.filter((phase) => restored(phase).phase !== "Drafting");
  expect(closed).toHaveLength(phases.length - 4);
  for (const phase of closed) expect(restored(phase)).toEqual(own(phase));
  expect(restored("InProgress", "Ignore")).toEqual(own("InProgress"));
});
