import type { Review } from "@virt/api";
import { describe, expect, test } from "vitest";
import { mayExecute, reviewOf } from "./approval.ts";
import { inputs, staleness } from "./conditions/side.ts";
import type { Observed } from "./observed.ts";
import { type Given, generation, observed, otherHash, planHash } from "./observed-world.ts";

const forced: Review = { planHash, generation: generation - 1, forced: true, reason: "NotRequested" };
const drafting = (given: Given = {}) => observed("Drafting", given);
const mustPin = { version: "v2", mustPin: true };

type Case = { readonly reason: string; readonly seen: Observed; readonly may: boolean };

const cases: readonly Case[] = [
  { reason: "an Apply runs", seen: drafting(), may: true },
  { reason: "1: a DryRun runs nothing", seen: drafting({ spec: { action: "DryRun" } }), may: false },
  { reason: "1: Ignore runs nothing", seen: drafting({ spec: { action: "Ignore" } }), may: false },
  { reason: "2: the plan that is named runs", seen: drafting({ spec: { approvedPlan: planHash } }), may: true },
  { reason: "2: no other plan does", seen: drafting({ spec: { approvedPlan: otherHash } }), may: false },
  { reason: "2: where a plan must be named, none runs unnamed", seen: drafting({ operator: mustPin }), may: false },
  {
    reason: "2: where a plan must be named, the named one runs",
    seen: drafting({ operator: mustPin, spec: { approvedPlan: planHash } }),
    may: true,
  },
  {
    reason: "3: an Apply is used up by one execution",
    seen: drafting({ was: { executedGeneration: generation } }),
    may: false,
  },
  {
    reason: "3: a newer one is not",
    seen: drafting({ was: { executedGeneration: generation - 1 } }),
    may: true,
  },
  {
    reason: "4: a forced review is acknowledged by an edit that leads to the plan on display",
    seen: drafting({ was: { review: forced } }),
    may: true,
  },
  {
    reason: "4: it is not by the edit that was there when it was put on display",
    seen: drafting({ was: { review: { ...forced, generation } } }),
    may: false,
  },
  {
    reason: "4: it is not by an edit that leads to another plan",
    seen: drafting({ was: { review: { ...forced, planHash: otherHash } } }),
    may: false,
  },
  {
    reason: "4: a review that is not forced asks for nothing",
    seen: drafting({ was: { review: { ...forced, generation, planHash: otherHash, forced: false } } }),
    may: true,
  },
  {
    reason: "4: a moved input forces a review",
    seen: drafting({ marks: [inputs.changed("x")] }),
    may: false,
  },
  { reason: "4: a stale plan forces a review", seen: drafting({ marks: [staleness.found] }), may: false },
  {
    reason: "4: a plan of another version forces a review",
    seen: drafting({ was: { operatorVersion: "v1" } }),
    may: false,
  },
  {
    reason: "4: no version on record is no other version",
    seen: drafting({ was: { operatorVersion: "" } }),
    may: true,
  },
];

test.each(cases)("$reason", ({ seen, may }) => {
  expect(mayExecute(seen, planHash)).toBe(may);
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
      seen: drafting({ was: { executedGeneration: generation } }),
      review: { forced: true, reason: "NotRequested" },
    },
    {
      reason: "after an input moved is forced, also for a DryRun",
      seen: drafting({ spec: { action: "DryRun" }, marks: [inputs.changed("x")] }),
      review: { forced: true, reason: "InputChanged" },
    },
    {
      reason: "after a target moved is forced, also for a DryRun",
      seen: drafting({ spec: { action: "DryRun" }, marks: [staleness.found] }),
      review: { forced: true, reason: "PlanStale" },
    },
    {
      reason: "by another version is forced, also for a DryRun",
      seen: drafting({ spec: { action: "DryRun" }, was: { operatorVersion: "v1" } }),
      review: { forced: true, reason: "OperatorUpgraded" },
    },
    {
      reason: "stays forced while nobody acknowledged it, and keeps its reason",
      seen: drafting({ spec: { action: "DryRun" }, was: { review: { ...forced, reason: "OperatorUpgraded" } } }),
      review: { forced: true, reason: "OperatorUpgraded" },
    },
  ];
  test.each(rows)("$reason", ({ seen, review }) => {
    expect(reviewOf(seen, planHash)).toEqual({ planHash, generation, ...review });
  });
});
