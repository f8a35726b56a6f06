import type { Phase } from "@virt/api";
import { expect, test } from "vitest";
import { conditionsForTools, type ToolConditionInput } from "./tool.ts";

type Row = {
  readonly reason: string;
  readonly at: Partial<ToolConditionInput> & { readonly phase: Phase };
  readonly ready: readonly [string, string, string?];
  readonly reconciling?: readonly [string, string, string?];
  readonly stalled?: readonly [string, string, string?];
};

const said = "as the phase says";
const notConverged = "P is updating";

const rows: readonly Row[] = [
  { reason: "Pending", at: { phase: "Pending" }, ready: ["False", "Drafting"], reconciling: ["True", "Drafting"] },
  { reason: "Drafting", at: { phase: "Drafting" }, ready: ["False", "Drafting"], reconciling: ["True", "Drafting"] },
  {
    reason: "PrerequisiteFailed",
    at: { phase: "PrerequisiteFailed", next: "do it." },
    ready: ["False", "PrerequisiteFailed", `${said}. Next: do it.`],
    stalled: ["True", "PrerequisiteFailed"],
  },
  {
    reason: "a requested plan is Ready",
    at: { phase: "ReviewRequired" },
    ready: ["True", "PlanReady"],
  },
  {
    reason: "a plan that waits for approval is not Ready",
    at: { phase: "ReviewRequired", isWithheld: true },
    ready: ["False", "ReviewRequired"],
  },
  {
    reason: "a running plan reports its first unfinished item",
    at: { phase: "InProgress", progress: notConverged },
    ready: ["False", "InProgress"],
    reconciling: ["True", "InProgress", notConverged],
  },
  { reason: "Completed", at: { phase: "Completed" }, ready: ["True", "Completed"] },
  { reason: "CompletedWithUpgrade", at: { phase: "CompletedWithUpgrade" }, ready: ["True", "UpgradeAvailable"] },
  { reason: "Ignored", at: { phase: "Ignored" }, ready: ["True", "Ignored"] },
  {
    reason: "CompletedWithErrors",
    at: { phase: "CompletedWithErrors" },
    ready: ["False", "CompletedWithErrors"],
    stalled: ["True", "CompletedWithErrors"],
  },
  { reason: "Failed", at: { phase: "Failed" }, ready: ["False", "Failed"], stalled: ["True", "Failed"] },
  { reason: "Drifted without automatic correction", at: { phase: "Drifted" }, ready: ["False", "Drifted"] },
  {
    reason: "Drifted before an automatic correction",
    at: { phase: "Drifted", correction: "will-act" },
    ready: ["False", "Drifted"],
    reconciling: ["True", "Correcting"],
  },
  {
    reason: "Drifted after automatic correction stopped",
    at: { phase: "Drifted", correction: { gaveUp: "a fight", reason: "DriftFight" } },
    ready: ["False", "Drifted"],
    stalled: ["True", "DriftFight", "a fight"],
  },
  ...(["Completed", "CompletedWithErrors", "CompletedWithUpgrade"] as const).map(
    (phase): Row => ({
      reason: `${phase} with a pool that is still updating`,
      at: { phase, notConverged },
      ready: ["False", "NotConverged", notConverged],
      ...(phase === "CompletedWithErrors" && { stalled: ["True", phase] }),
    }),
  ),
  {
    reason: "a lasting retryable error",
    at: { phase: "Completed", retrying: "503" },
    ready: ["True", "Completed"],
    reconciling: ["True", "Retrying", "503"],
  },
];

test.each(rows)("$reason", ({ at, ready, reconciling, stalled }) => {
  const full = (type: string, [status, reason, message = said]: readonly [string, string, string?]) => ({
    type,
    status,
    reason,
    message,
  });
  expect(conditionsForTools({ message: said, isWithheld: false, ...at })).toEqual([
    full("Ready", ready),
    full("Reconciling", reconciling ?? ["False", at.phase, ""]),
    full("Stalled", stalled ?? ["False", at.phase, ""]),
  ]);
});
