import { type Phase, phases } from "@virt/api";
import { describe, expect, test } from "vitest";
import { conditionOf } from "./conditions/read.ts";
import type { Observed } from "./observed.ts";
import {
  begunItem,
  descheduler,
  drafted,
  type Given,
  generation,
  observed,
  otherHash,
  planHash,
  psi,
  seenItem,
} from "./observed-world.ts";
import { texts } from "./texts.ts";
import { transition } from "./transition.ts";

const missing = { kind: "missing", message: "Missing required dependencies:\n  - A (b.v1): c\n" } as const;
const edited = { generation: generation + 1 };
const begun = [seenItem(begunItem(psi())), seenItem(descheduler())];

type Case = { readonly reason: string; readonly seen: Observed; readonly phase: Phase };

const cases: readonly Case[] = [
  {
    reason: "2.2.3: a config that is not ignored any more is drafted anew",
    seen: observed("Ignored"),
    phase: "Drafting",
  },
  {
    reason: "2.2.4: a config that nobody looked at is drafted",
    seen: { ...observed("Pending"), was: {} },
    phase: "Drafting",
  },
  {
    reason: "2.2.4: a phase that this build does not know is reset",
    seen: observed("Pending", { was: { phase: "Paused" as Phase } }),
    phase: "Drafting",
  },
  {
    reason: "2.2.5: an approval goes on with the plan on display",
    seen: observed("ReviewRequired", { ...edited, was: { executedGeneration: generation } }),
    phase: "InProgress",
  },
  {
    reason: "2.2.5: naming the plan is an approval too",
    seen: observed("ReviewRequired", { ...edited, spec: { approvedPlan: planHash } }),
    phase: "InProgress",
  },
  {
    reason: "2.2.7: an approval that comes with other options is drafted anew",
    seen: observed("ReviewRequired", { ...edited, spec: { failurePolicy: "Continue" }, was: { specHash: "other" } }),
    phase: "Drafting",
  },
  {
    reason: "2.2.7: DryRun in review is drafted anew",
    seen: observed("ReviewRequired", { ...edited, spec: { action: "DryRun" } }),
    phase: "Drafting",
  },
  {
    reason: "2.2.6: pinning the plan that runs lets it run",
    seen: observed("InProgress", { ...edited, items: begun, spec: { approvedPlan: planHash } }),
    phase: "InProgress",
  },
  {
    reason: "2.2.6: an approval of no plan in particular lets it run",
    seen: observed("InProgress", { ...edited, items: begun }),
    phase: "InProgress",
  },
  {
    reason: "2.2.7: pinning another plan stops the one that runs",
    seen: observed("InProgress", { ...edited, items: begun, spec: { approvedPlan: otherHash } }),
    phase: "Drafting",
  },
  {
    reason: "2.2.7: DryRun stops a running plan before the next item",
    seen: observed("InProgress", { ...edited, items: begun, spec: { action: "DryRun" } }),
    phase: "Drafting",
  },
  {
    reason: "2.2.7: other options stop a running plan",
    seen: observed("InProgress", { ...edited, items: begun, was: { specHash: "other" } }),
    phase: "Drafting",
  },
  {
    reason: "a config that is being drafted goes on with its new spec",
    seen: observed("Drafting", { ...edited, draft: drafted([psi()]) }),
    phase: "InProgress",
  },
];

test.each(cases)("$reason", ({ seen, phase }) => {
  const { status, effect } = transition(seen);
  expect(status.phase).toBe(phase);
  expect(status.observedGeneration).toBe(seen.generation);
  expect(effect === undefined || phase === "InProgress").toBe(true);
});

const redrafted: readonly Phase[] = [
  "Pending",
  "PrerequisiteFailed",
  "Completed",
  "CompletedWithErrors",
  "CompletedWithUpgrade",
  "Failed",
  "Drifted",
];

test.each(redrafted)("2.2.7: an edit in %s is drafted anew, whatever it changed", (phase) => {
  const { status, effect, again } = transition(observed(phase, { ...edited, blocked: missing }));
  expect(status).toMatchObject({ phase: "Drafting", observedGeneration: generation + 1 });
  expect(effect).toBeUndefined();
  expect(again).toEqual({ when: "at-once" });
});

describe("2.2.2: Ignore", () => {
  test.each(phases)("takes effect in one pass from %s, keeps the items, and asks for nothing more", (phase) => {
    const seen = observed(phase, { ...edited, spec: { action: "Ignore" }, blocked: missing });
    const { status, effect, again } = transition(seen);
    expect(status.phase).toBe("Ignored");
    expect(status.items).toEqual(seen.was.items);
    expect(status.executedGeneration).toBeUndefined();
    expect(effect).toBeUndefined();
    expect(again).toEqual({ when: "on-change" });
  });

  test("refreshes the impact: of the items, or of the profile where there are none", () => {
    const ignore: Given = { spec: { action: "Ignore" }, impact: "Medium", was: { impactSeverity: "Low" } };
    expect(transition(observed("Completed", ignore)).status.impactSeverity).toBe("High");
    expect(transition(observed("Completed", { ...ignore, items: [] })).status.impactSeverity).toBe("Medium");
  });

  test("writes nothing where it is ignored already", () => {
    const first = transition(observed("Completed", { spec: { action: "Ignore" } })).status;
    const later = { ...observed("Ignored", { spec: { action: "Ignore" } }), now: 1_900_000_000_000, was: first };
    expect(transition(later).status).toEqual(first);
  });
});

describe("2.2.8: a CRD that is not served any more", () => {
  const watching: readonly Phase[] = [
    "ReviewRequired",
    "InProgress",
    "Completed",
    "CompletedWithErrors",
    "CompletedWithUpgrade",
    "Drifted",
  ];
  test.each(watching)("is a missing prerequisite in %s", (phase) => {
    const { status, effect } = transition(observed(phase, { blocked: missing, items: begun }));
    expect(status.phase).toBe("PrerequisiteFailed");
    expect(conditionOf(status, "PrerequisiteFailed")?.message).toBe(missing.message);
    expect(effect).toBeUndefined();
  });

  test("changes nothing in Failed", () => {
    expect(transition(observed("Failed", { blocked: missing })).status.phase).toBe("Failed");
  });

  test("leaves a profile that refuses its options alone until a plan is drafted", () => {
    const blocked = { kind: "other", message: "Invalid config: no" } as const;
    expect(transition(observed("Completed", { blocked })).status.phase).toBe("Completed");
  });
});

test("2.2.6: an approval while the plan runs is used up by it, also when the plan ends in the same pass", () => {
  const seen = observed("InProgress", { ...edited, items: [] });
  expect(transition(seen).status).toMatchObject({ phase: "Completed", executedGeneration: generation + 1 });
  const failing = [seenItem({ ...begunItem(psi()), state: "Failed" })];
  const failed = transition(observed("InProgress", { ...edited, items: failing })).status;
  expect(failed).toMatchObject({ phase: "Failed", executedGeneration: generation + 1 });
});

test("all that is said while a plan is drafted is that it is drafted", () => {
  const { status } = transition(observed("Ignored"));
  expect(conditionOf(status, "Drafting")).toMatchObject({ status: "True", message: texts.generating });
});
