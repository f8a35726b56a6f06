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

type Case = { readonly reason: string; readonly seen: Observed; readonly may: boolean };

const cases: readonly Case[] = [
  { reason: "an Apply runs", seen: drafting(), may: true },
  { reason: "1: a DryRun runs nothing", seen: drafting({ spec: { action: "DryRun" } }), may: false },
  { reason: "1: Ignore runs nothing", seen: drafting({ spec: { action: "Ignore" } }), may: false },
  { reason: "2: the plan that is named runs", seen: drafting({ spec: { approvedPlan: examplePlanHash } }), may: true },
  {
    reason: "2: the plan whose first 12 digits are named runs",
    seen: drafting({ spec: { approvedPlan: examplePlanHash.slice(0, 12) } }),
    may: true,
  },
  {
    reason: "2: 11 digits name no plan",
    seen: drafting({ spec: { approvedPlan: examplePlanHash.slice(0, 11) } }),
    may: false,
  },
  {
    reason: "2: digits that also begin the plan before it name no plan",
    seen: drafting({
      spec: { approvedPlan: examplePlanHash.slice(0, 12) },
      stored: { planHash: examplePlanHash.slice(0, 12).padEnd(64, "e") },
    }),
    may: false,
  },
  { reason: "2: no other plan does", seen: drafting({ spec: { approvedPlan: otherHash } }), may: false },
  { reason: "2: where a plan must be named, none runs unnamed", seen: drafting({ operator: mustPin }), may: false },
  {
    reason: "2: where a plan must be named, the named one runs",
    seen: drafting({ operator: mustPin, spec: { approvedPlan: examplePlanHash } }),
    may: true,
  },
  {
    reason: "2: none runs while approvals cannot be trusted, named or not",
    seen: drafting({
      operator: { ...mustPin, withheld: "a policy is missing" },
      spec: { approvedPlan: examplePlanHash },
    }),
    may: false,
  },
  {
    reason: "3: an Apply is used up by one execution",
    seen: drafting({ stored: { executedGeneration: generation } }),
    may: false,
  },
  {
    reason: "3: a newer one is not",
    seen: drafting({ stored: { executedGeneration: generation - 1 } }),
    may: true,
  },
  {
    reason: "4: a forced review is acknowledged by an edit that leads to the plan on display",
    seen: drafting({ stored: { review: forced } }),
    may: true,
  },
  {
    reason: "4: it is not by the edit that was there when it was put on display",
    seen: drafting({ stored: { review: { ...forced, generation } } }),
    may: false,
  },
  {
    reason: "4: it is not by an edit that leads to another plan",
    seen: drafting({ stored: { review: { ...forced, planHash: otherHash } } }),
    may: false,
  },
  {
    reason: "4: a review that is not forced asks for nothing",
    seen: drafting({ stored: { review: { ...forced, generation, planHash: otherHash, forced: false } } }),
    may: true,
  },
  {
    reason: "4: a moved input forces a review",
    seen: drafting({ marks: [inputConditions.changed("x")] }),
    may: false,
  },
  { reason: "4: a stale plan forces a review", seen: drafting({ marks: [stalenessConditions.found] }), may: false },
  {
    reason: "4: a plan of another version forces a review",
    seen: drafting({ stored: { operatorVersion: "v1" } }),
    may: false,
  },
  {
    reason: "4: no version on record is no other version",
    seen: drafting({ stored: { operatorVersion: "" } }),
    may: true,
  },
];

test.each(cases)("$reason", ({ seen, may }) => {
  expect(mayExecute(seen, examplePlanHash)).toBe(may);
});

describe("2.3: a plan on display", () => {
  const rows: readonly { reason: string; seen: Observed; review: Partial<Review> }[] = [
    {
      reason: "that a person asked to see is not forced",
      seen: drafting({ spec: { action: "DryRun" } }),
      review: { forced: false, reason: "Requested" },
    },
    {
      reason: "that must be named says so",
      seen: drafting({ operator: mustPin }),
      review: { forced: true, reason: "ApprovalRequired" },
    },
    {
      reason: "that is not the named one says so",
      seen: drafting({ spec: { approvedPlan: otherHash } }),
      review: { forced: true, reason: "ApprovalRequired" },
    },
    {
      reason: "whose Apply is withheld is forced",
      seen: drafting({ stored: { executedGeneration: generation } }),
      review: { forced: true, reason: "NotRequested" },
    },
    {
      reason: "after an input moved is forced, also for a DryRun",
      seen: drafting({ spec: { action: "DryRun" }, marks: [inputConditions.changed("x")] }),
      review: { forced: true, reason: "InputChanged" },
    },
    {
      reason: "after a target moved is forced, also for a DryRun",
      seen: drafting({ spec: { action: "DryRun" }, marks: [stalenessConditions.found] }),
      review: { forced: true, reason: "PlanStale" },
    },
    {
      reason: "by another version is forced, also for a DryRun",
      seen: drafting({ spec: { action: "DryRun" }, stored: { operatorVersion: "v1" } }),
      review: { forced: true, reason: "OperatorUpgraded" },
    },
    {
      reason: "stays forced while nobody acknowledged it, and keeps its reason",
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

test("a plan is approved by whoever edited the spec last", () => {
  const creator = entry("kubectl-create", "2030-01-01T00:00:00Z", { "f:spec": { "f:profile": {} } });
  const patcher = entry("kubectl-patch", "2030-01-01T00:00:05Z", action);
  expect(approverOf(config(creator, patcher))).toBe("kubectl-patch");
  const editor = entry("kubectl-edit", "2030-01-01T00:00:09Z", options);
  expect(approverOf(config(creator, patcher, editor))).toBe("kubectl-edit");
});

test("of two edits within a second the one that set the action counts", () => {
  const editor = entry("kubectl-edit", "2030-01-01T00:00:05Z", options);
  const patcher = entry("kubectl-patch", "2030-01-01T00:00:05Z", action);
  expect(approverOf(config(editor, patcher))).toBe("kubectl-patch");
});

test("our own status and a config without managedFields name nobody", () => {
  const own = { ...entry("virt-advisor-operator", "2030-01-01T00:00:09Z", { "f:status": {} }), subresource: "status" };
  expect(approverOf(config(own))).toBeUndefined();
  expect(approverOf(config())).toBeUndefined();
});
