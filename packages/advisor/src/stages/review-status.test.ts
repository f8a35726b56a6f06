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

type Case = readonly [reason: string, phase: Phase, says: string, seen: Observed];
const cases: readonly Case[] = [
  [
    "an unknown profile",
    "PrerequisiteFailed",
    'Profile not found: profile "p" not found',
    drafting({ blocked: { kind: "missing", message: 'Profile not found: profile "p" not found' } }),
  ],
  [
    "a missing prerequisite",
    "PrerequisiteFailed",
    "Missing required dependencies:\n",
    drafting({ blocked: { kind: "missing", message: "Missing required dependencies:\n" } }),
  ],
  ["options that are invalid", "PrerequisiteFailed", "Invalid config: no", blocked("Invalid config: no")],
  [
    "a missing namespace in the dry run",
    "PrerequisiteFailed",
    "Namespace 'x' does not exist",
    drafting({ draft: { kind: "blocked", message: "Namespace 'x' does not exist" } }),
  ],
  [
    "a rejected dry run",
    "Failed",
    "Failed to generate plan items: spec.mode: Unsupported value",
    drafting({ draft: { kind: "rejected", message: "spec.mode: Unsupported value" } }),
  ],
  ["no changes and healthy pools", "Completed", phaseMessages.inSync, drafting({ draft: drafted(idle) })],
  [
    "a DryRun without changes and with healthy pools",
    "Completed",
    phaseMessages.inSync,
    drafting({ spec: { action: "DryRun" }, draft: drafted(idle) }),
  ],
  [
    "an Apply without changes and with waiting pools",
    "InProgress",
    phaseMessages.applying,
    drafting({ draft: drafted(idle, waiting) }),
  ],
  [
    "a DryRun without changes and with waiting pools",
    "ReviewRequired",
    phaseMessages.review,
    drafting({ spec: { action: "DryRun" }, draft: drafted(idle, waiting) }),
  ],
  ["an Apply with changes", "InProgress", phaseMessages.applying, drafting({ draft: drafted([psi()]) })],
  [
    "a DryRun with changes",
    "ReviewRequired",
    phaseMessages.review,
    drafting({ spec: { action: "DryRun" }, draft: drafted([psi()]) }),
  ],
  [
    "an Apply that was already executed",
    "ReviewRequired",
    "Plan aaaaaaaaaaaa needs a new review: it has not been approved since it was drafted.",
    drafting({ stored: { executedGeneration: generation }, draft: drafted([psi()]) }),
  ],
  [
    "an unnamed plan that must be named",
    "ReviewRequired",
    "Plan aaaaaaaaaaaa needs a new review: spec.approvedPlan does not name it.",
    drafting({ operator: { version: "v2", mustPin: true }, draft: drafted([psi()]) }),
  ],
];

test.each(cases)("Drafting: %s leads to %s", (_reason, phase, says, seen) => {
  const { status, effect } = transition(seen);
  expect(status.phase).toBe(phase);
  expect(effect).toBeUndefined();
  expect(conditionOf(status, phase)?.message).toBe(says);
});

test("a retryable error changes nothing", () => {
  const observed = drafting({ draft: { kind: "unavailable", message: "429", retryInMs: 7 } });
  expect(transition(observed)).toEqual({
    status: observed.stored,
    requeue: { when: "retry", message: "429", retryInMs: 7 },
  });
});

test("rejects a review without a draft", () => {
  expect(() => transition(drafting({}))).toThrow("cannot present a plan that was not drafted");
});

test("presents a plan with all its fields in one write", () => {
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

describe("a starting execution", () => {
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

  test("records approval, plan and first item before it applies anything", () => {
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

  test("acknowledges the causes of its review", () => {
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

test("an unchanged item is not begun, and its rollout keeps its start", () => {
  const rollout = { startTime: secondsAgo(500), before: [] };
  const items = [psi({ changes: false, rollout }), deschedulerItem({ changes: false })];
  const { status } = transition(drafting({ draft: drafted(items, waiting) }));
  expect(status.items?.map(({ state, message }) => [state, message])).toEqual([
    ["InProgress", "pool is waiting"],
    ["Completed", "Already in desired state"],
  ]);
  expect(status.items?.[0]?.rollout).toEqual(rollout);
});
