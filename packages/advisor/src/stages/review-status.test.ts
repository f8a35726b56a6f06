import type { Phase } from "@virt/api";
import { describe, expect, test } from "vitest";
import { phaseMessages } from "../conditions/phase.ts";
import { conditionOf, inputConditions, stalenessConditions } from "../conditions/status-conditions.ts";
import type { Observed } from "../observed.ts";
import {
  deschedulerItem,
  drafted,
  examplePlanHash,
  generation,
  health,
  now,
  type ObservedOverrides,
  observedWith,
  otherHash,
  psi,
  secondsAgo,
} from "../testing/observed-fixtures.ts";
import { stamp } from "../times.ts";
import { transition } from "../transition.ts";

const idle = [psi({ changes: false }), deschedulerItem({ changes: false })];
const waiting = { rollouts: { "enable-psi-metrics": health("waiting") } };
const drafting = (given: ObservedOverrides) => observedWith("Drafting", { items: [], ...given });
const blocked = (message: string) => drafting({ blocked: { kind: "other", message } });

type Case = { readonly reason: string; readonly seen: Observed; readonly phase: Phase; readonly says: string };

const cases: readonly Case[] = [
  {
    reason: "a profile that this build does not know",
    seen: drafting({ blocked: { kind: "missing", message: 'Profile not found: profile "p" not found' } }),
    phase: "PrerequisiteFailed",
    says: 'Profile not found: profile "p" not found',
  },
  {
    reason: "a missing prerequisite",
    seen: drafting({ blocked: { kind: "missing", message: "Missing required dependencies:\n" } }),
    phase: "PrerequisiteFailed",
    says: "Missing required dependencies:\n",
  },
  {
    reason: "options that cannot be",
    seen: blocked("Invalid config: no"),
    phase: "PrerequisiteFailed",
    says: "Invalid config: no",
  },
  {
    reason: "a missing namespace that the dry run found",
    seen: drafting({ draft: { kind: "blocked", message: "Namespace 'x' does not exist" } }),
    phase: "PrerequisiteFailed",
    says: "Namespace 'x' does not exist",
  },
  {
    reason: "a rejected dry run",
    seen: drafting({ draft: { kind: "rejected", message: "spec.mode: Unsupported value" } }),
    phase: "Failed",
    says: "Failed to generate plan items: spec.mode: Unsupported value",
  },
  {
    reason: "nothing to change, all healthy",
    seen: drafting({ draft: drafted(idle) }),
    phase: "Completed",
    says: phaseMessages.inSync,
  },
  {
    reason: "nothing to change, all healthy, for a DryRun",
    seen: drafting({ spec: { action: "DryRun" }, draft: drafted(idle) }),
    phase: "Completed",
    says: phaseMessages.inSync,
  },
  {
    reason: "nothing to change, some wait, Apply",
    seen: drafting({ draft: drafted(idle, waiting) }),
    phase: "InProgress",
    says: phaseMessages.applying,
  },
  {
    reason: "nothing to change, some wait, DryRun",
    seen: drafting({ spec: { action: "DryRun" }, draft: drafted(idle, waiting) }),
    phase: "ReviewRequired",
    says: phaseMessages.review,
  },
  {
    reason: "changes that may run",
    seen: drafting({ draft: drafted([psi()]) }),
    phase: "InProgress",
    says: phaseMessages.applying,
  },
  {
    reason: "changes that a person wants to see",
    seen: drafting({ spec: { action: "DryRun" }, draft: drafted([psi()]) }),
    phase: "ReviewRequired",
    says: phaseMessages.review,
  },
  {
    reason: "changes that were not asked for",
    seen: drafting({ stored: { executedGeneration: generation }, draft: drafted([psi()]) }),
    phase: "ReviewRequired",
    says: "Plan aaaaaaaaaaaa needs a new review: it has not been approved since it was drafted.",
  },
  {
    reason: "changes of a plan that must be named",
    seen: drafting({ operator: { version: "v2", mustPin: true }, draft: drafted([psi()]) }),
    phase: "ReviewRequired",
    says: "Plan aaaaaaaaaaaa needs a new review: spec.approvedPlan does not name it.",
  },
];

test.each(cases)("Drafting: $reason leads to $phase", ({ seen, phase, says }) => {
  const { status, effect } = transition(seen);
  expect(status.phase).toBe(phase);
  expect(effect).toBeUndefined();
  expect(conditionOf(status, phase)?.message).toBe(says);
});

test("a retryable error decides nothing", () => {
  const observed = drafting({ draft: { kind: "unavailable", message: "429", retryInMs: 7 } });
  expect(transition(observed)).toEqual({
    status: observed.stored,
    requeue: { when: "retry", message: "429", retryInMs: 7 },
  });
});

test("a plan is never presented undrafted", () => {
  expect(() => transition(drafting({}))).toThrow("cannot present a plan that was not drafted");
});

test("a plan goes on display with all that it was drafted for, in one write", () => {
  const draft = drafted([psi()], { planHash: otherHash, inputs: [{ name: "a", used: "1" }], impact: "Medium" });
  const options = { loadAware: { mode: "Predictive" } };
  const { status } = transition(drafting({ spec: { action: "DryRun", options }, draft }));
  expect(status).toMatchObject({
    items: [{ state: "Pending" }],
    planHash: otherHash,
    sourceSnapshotHash: "snapshot-2",
    impactSeverity: "Medium",
    specHash: draft.specHash,
    operatorVersion: "v2",
    appliedOptions: options,
    inputs: [{ name: "a", used: "1" }],
    review: { planHash: otherHash, generation, forced: false, reason: "Requested" },
  });
  expect(status.items?.[0]).not.toHaveProperty("lastTransitionTime");
  expect(transition(drafting({ draft, stored: { appliedOptions: options } })).status).not.toHaveProperty(
    "appliedOptions",
  );
});

describe("an execution that starts", () => {
  const review = {
    planHash: examplePlanHash,
    generation: generation - 1,
    forced: true,
    reason: "InputChanged",
  } as const;
  const marks = [inputConditions.changed("x"), stalenessConditions.found];
  const { status, requeue } = transition(
    drafting({
      stored: { review, executedGeneration: 1 },
      marks,
      draft: drafted([psi(), deschedulerItem()], {
        pools: { "enable-psi-metrics": [{ pool: "worker", configuration: "rendered-1" }] },
      }),
    }),
  );

  test("has its approval, its plan and its first item on record before anything is applied", () => {
    expect(requeue).toEqual({ when: "at-once" });
    expect(status.executedGeneration).toBe(generation);
    expect(status.review).toBeUndefined();
    expect(status.items?.map(({ state, message }) => [state, message])).toEqual([
      ["InProgress", "Applying configuration..."],
      ["Pending", deschedulerItem().message],
    ]);
    expect(status.items?.[0]?.rollout).toEqual({
      startTime: stamp(now),
      before: [{ pool: "worker", configuration: "rendered-1" }],
    });
  });

  test("acknowledges what forced its review", () => {
    expect(conditionOf(status, "InputDependencyDrift")).toMatchObject({
      status: "False",
      reason: "Acknowledged",
      message: "User acknowledged input dependency change",
    });
    expect(conditionOf(status, "PlanStale")).toMatchObject({
      status: "False",
      reason: "Acknowledged",
      message: "User approved the regenerated plan",
    });
  });
});

test("an item that changes nothing is not begun, and its rollout keeps its clock", () => {
  const rollout = { startTime: secondsAgo(500), before: [] };
  const items = [psi({ changes: false, rollout }), deschedulerItem({ changes: false })];
  const { status } = transition(drafting({ draft: drafted(items, waiting) }));
  expect(status.items?.map(({ state, message }) => [state, message])).toEqual([
    ["InProgress", "pool is waiting"],
    ["Completed", "Already in desired state"],
  ]);
  expect(status.items?.[0]?.rollout).toEqual(rollout);
});
