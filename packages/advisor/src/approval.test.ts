import type { Review, VirtPlatformConfig } from "@virt/api";
import { describe, expect, test } from "vitest";
import { approverOf, mayExecute, reviewOf } from "./approval.ts";
import { inputConditions, stalenessConditions } from "./conditions/status-conditions.ts";
import type { Observed } from "./observed.ts";
import {
  examplePlanHash,
  generation,
  type ObservedOverrides,
  observedWith,
  otherHash,
  spec,
} from "./testing/observed-fixtures.ts";

const forced: Review = { planHash: examplePlanHash, generation: generation - 1, forced: true, reason: "NotRequested" };
const drafting = (given: ObservedOverrides = {}) => observedWith("Drafting", given);
const mustPin = { version: "v2", mustPin: true };

type Case = readonly [reason: string, seen: Observed, may: boolean];

const cases: readonly Case[] = [
  ["executes a plan if action is Apply", drafting(), true],
  ["a DryRun does not execute", drafting({ spec: { action: "DryRun" } }), false],
  ["Ignore does not execute", drafting({ spec: { action: "Ignore" } }), false],
  ["executes the plan that approvedPlan names", drafting({ spec: { approvedPlan: examplePlanHash } }), true],
  [
    "executes the plan whose first 12 digits are named",
    drafting({ spec: { approvedPlan: examplePlanHash.slice(0, 12) } }),
    true,
  ],
  ["11 digits name no plan", drafting({ spec: { approvedPlan: examplePlanHash.slice(0, 11) } }), false],
  [
    "digits that the previous plan shares name no plan",
    drafting({
      spec: { approvedPlan: examplePlanHash.slice(0, 12) },
      stored: { planHash: examplePlanHash.slice(0, 12).padEnd(64, "e") },
    }),
    false,
  ],
  ["does not execute a plan if approvedPlan names another one", drafting({ spec: { approvedPlan: otherHash } }), false],
  ["executes no unnamed plan if plans must be named", drafting({ operator: mustPin }), false],
  [
    "executes the named plan if plans must be named",
    drafting({ operator: mustPin, spec: { approvedPlan: examplePlanHash } }),
    true,
  ],
  [
    "executes no plan while approvals cannot be trusted",
    drafting({
      operator: { ...mustPin, withheld: "a policy is missing" },
      spec: { approvedPlan: examplePlanHash },
    }),
    false,
  ],
  ["one Apply permits one execution", drafting({ stored: { executedGeneration: generation } }), false],
  ["a newer Apply permits another execution", drafting({ stored: { executedGeneration: generation - 1 } }), true],
  ["an edit that leads to the shown plan acknowledges a forced review", drafting({ stored: { review: forced } }), true],
  [
    "the edit that caused a forced review does not acknowledge it",
    drafting({ stored: { review: { ...forced, generation } } }),
    false,
  ],
  [
    "an edit that leads to another plan does not acknowledge a forced review",
    drafting({ stored: { review: { ...forced, planHash: otherHash } } }),
    false,
  ],
  [
    "a review that is not forced needs no acknowledgement",
    drafting({ stored: { review: { ...forced, generation, planHash: otherHash, forced: false } } }),
    true,
  ],
  ["a changed input forces a review", drafting({ marks: [inputConditions.changed("x")] }), false],
  ["a stale plan forces a review", drafting({ marks: [stalenessConditions.found] }), false],
  ["a plan of another operator version forces a review", drafting({ stored: { operatorVersion: "v1" } }), false],
  ["a plan without a recorded version needs no review", drafting({ stored: { operatorVersion: "" } }), true],
];

test.each(cases)("%s", (_reason, seen, may) => {
  expect(mayExecute(seen, examplePlanHash)).toBe(may);
});

describe("the review of a plan", () => {
  const rows: readonly { reason: string; seen: Observed; review: Partial<Review> }[] = [
    {
      reason: "is not forced if the user requested a DryRun",
      seen: drafting({ spec: { action: "DryRun" } }),
      review: { forced: false, reason: "Requested" },
    },
    {
      reason: "is forced if the plan must be named",
      seen: drafting({ operator: mustPin }),
      review: { forced: true, reason: "ApprovalRequired" },
    },
    {
      reason: "is forced if approvedPlan names another plan",
      seen: drafting({ spec: { approvedPlan: otherHash } }),
      review: { forced: true, reason: "ApprovalRequired" },
    },
    {
      reason: "is forced if its Apply was already executed",
      seen: drafting({ stored: { executedGeneration: generation } }),
      review: { forced: true, reason: "NotRequested" },
    },
    {
      reason: "is forced after an input changed, even for a DryRun",
      seen: drafting({ spec: { action: "DryRun" }, marks: [inputConditions.changed("x")] }),
      review: { forced: true, reason: "InputChanged" },
    },
    {
      reason: "is forced after a target changed, even for a DryRun",
      seen: drafting({ spec: { action: "DryRun" }, marks: [stalenessConditions.found] }),
      review: { forced: true, reason: "PlanStale" },
    },
    {
      reason: "is forced if another version drafted the plan, even for a DryRun",
      seen: drafting({ spec: { action: "DryRun" }, stored: { operatorVersion: "v1" } }),
      review: { forced: true, reason: "OperatorUpgraded" },
    },
    {
      reason: "stays forced with its reason until it is acknowledged",
      seen: drafting({ spec: { action: "DryRun" }, stored: { review: { ...forced, reason: "OperatorUpgraded" } } }),
      review: { forced: true, reason: "OperatorUpgraded" },
    },
  ];
  test.each(rows)("$reason", ({ seen, review }) => {
    expect(reviewOf(seen, examplePlanHash)).toEqual({ planHash: examplePlanHash, generation, ...review });
  });
});

const config = (...managedFields: readonly object[]) =>
  ({
    apiVersion: "advisor.kubevirt.io/v1alpha1",
    kind: "VirtPlatformConfig",
    metadata: { name: "load-aware-rebalancing", managedFields },
    spec: spec(),
  }) as unknown as VirtPlatformConfig;
const entry = (manager: string, time: string, fields: object) => ({
  manager,
  operation: "Update",
  apiVersion: "advisor.kubevirt.io/v1alpha1",
  time,
  fieldsType: "FieldsV1",
  fieldsV1: fields,
});
const action = { "f:spec": { "f:action": {} } };
const options = { "f:spec": { "f:options": { "f:loadAware": {} } } };

test("the last client that edited the spec approves the plan", () => {
  const creator = entry("kubectl-create", "2030-01-01T00:00:00Z", { "f:spec": { "f:profile": {} } });
  const patcher = entry("kubectl-patch", "2030-01-01T00:00:05Z", action);
  expect(approverOf(config(creator, patcher))).toBe("kubectl-patch");
  const editor = entry("kubectl-edit", "2030-01-01T00:00:09Z", options);
  expect(approverOf(config(creator, patcher, editor))).toBe("kubectl-edit");
});

test("of two edits in one second, the one that set the action counts", () => {
  const editor = entry("kubectl-edit", "2030-01-01T00:00:05Z", options);
  const patcher = entry("kubectl-patch", "2030-01-01T00:00:05Z", action);
  expect(approverOf(config(editor, patcher))).toBe("kubectl-patch");
});

test("the operator's status writes and missing managedFields name no approver", () => {
  const own = { ...entry("virt-advisor-operator", "2030-01-01T00:00:09Z", { "f:status": {} }), subresource: "status" };
  expect(approverOf(config(own))).toBeUndefined();
  expect(approverOf(config())).toBeUndefined();
});
