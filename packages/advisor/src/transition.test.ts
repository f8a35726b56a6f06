import { type Phase, phases } from "@virt/api";
import { describe, expect, test } from "vitest";
import { phaseMessages } from "./conditions/phase.ts";
import { conditionOf } from "./conditions/status-conditions.ts";
import type { Observed } from "./observed.ts";
import {
  begunItem,
  deschedulerItem,
  drafted,
  examplePlanHash,
  generation,
  input,
  type ObservedOverrides,
  observedItem,
  observedWith,
  otherHash,
  psi,
} from "./testing/observed-fixtures.ts";
import { transition, wantsDraft } from "./transition.ts";

const missing = { kind: "missing", message: "Missing required dependencies:\n  - A (b.v1): c\n" } as const;
const edited = { generation: generation + 1 };
const begun = [observedItem(begunItem(psi())), observedItem(deschedulerItem())];

type Case = { readonly reason: string; readonly seen: Observed; readonly phase: Phase };

const cases: readonly Case[] = [
  {
    reason: "2.2.3: a config that is not ignored any more is drafted anew",
    seen: observedWith("Ignored"),
    phase: "Drafting",
  },
  {
    reason: "2.2.4: a config that was never reconciled is drafted",
    seen: { ...observedWith("Pending"), stored: {} },
    phase: "Drafting",
  },
  {
    reason: "2.2.4: a phase that this build does not know is reset",
    seen: observedWith("Pending", { stored: { phase: "Paused" as Phase } }),
    phase: "Drafting",
  },
  {
    reason: "2.2.5: an approval goes on with the plan on display",
    seen: observedWith("ReviewRequired", { ...edited, stored: { executedGeneration: generation } }),
    phase: "InProgress",
  },
  {
    reason: "2.2.5: naming the plan is an approval too",
    seen: observedWith("ReviewRequired", { ...edited, spec: { approvedPlan: examplePlanHash } }),
    phase: "InProgress",
  },
  {
    reason: "2.2.7: an approval that comes with other options is drafted anew",
    seen: observedWith("ReviewRequired", {
      ...edited,
      spec: { failurePolicy: "Continue" },
      stored: { specHash: "other" },
    }),
    phase: "Drafting",
  },
  {
    reason: "2.2.7: DryRun in review is drafted anew",
    seen: observedWith("ReviewRequired", { ...edited, spec: { action: "DryRun" } }),
    phase: "Drafting",
  },
  {
    reason: "2.2.6: pinning the plan that runs lets it run",
    seen: observedWith("InProgress", { ...edited, items: begun, spec: { approvedPlan: examplePlanHash } }),
    phase: "InProgress",
  },
  {
    reason: "2.2.6: an approval of no plan in particular lets it run",
    seen: observedWith("InProgress", { ...edited, items: begun }),
    phase: "InProgress",
  },
  {
    reason: "2.2.7: pinning another plan stops the one that runs",
    seen: observedWith("InProgress", { ...edited, items: begun, spec: { approvedPlan: otherHash } }),
    phase: "Drafting",
  },
  {
    reason: "2.2.7: DryRun stops a running plan before the next item",
    seen: observedWith("InProgress", { ...edited, items: begun, spec: { action: "DryRun" } }),
    phase: "Drafting",
  },
  {
    reason: "2.2.7: other options stop a running plan",
    seen: observedWith("InProgress", { ...edited, items: begun, stored: { specHash: "other" } }),
    phase: "Drafting",
  },
  {
    reason: "a config that is being drafted goes on with its new spec",
    seen: observedWith("Drafting", { ...edited, draft: drafted([psi()]) }),
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
  const { status, effect, requeue } = transition(observedWith(phase, { ...edited, blocked: missing }));
  expect(status).toMatchObject({ phase: "Drafting", observedGeneration: generation + 1 });
  expect(effect).toBeUndefined();
  expect(requeue).toEqual({ when: "at-once" });
});

describe("2.2.2: Ignore", () => {
  test.each(phases)("takes effect in one reconcile from %s, keeps the items, and asks for nothing more", (phase) => {
    const observed = observedWith(phase, { ...edited, spec: { action: "Ignore" }, blocked: missing });
    const { status, effect, requeue } = transition(observed);
    expect(status.phase).toBe("Ignored");
    expect(status.items).toEqual(observed.stored.items);
    expect(status.executedGeneration).toBeUndefined();
    expect(effect).toBeUndefined();
    expect(requeue).toEqual({ when: "on-change" });
  });

  test("refreshes the impact: of the items, or of the profile where there are none", () => {
    const ignore: ObservedOverrides = {
      spec: { action: "Ignore" },
      impact: "Medium",
      stored: { impactSeverity: "Low" },
    };
    expect(transition(observedWith("Completed", ignore)).status.impactSeverity).toBe("High");
    expect(transition(observedWith("Completed", { ...ignore, items: [] })).status.impactSeverity).toBe("Medium");
  });

  test("writes nothing where it is ignored already", () => {
    const first = transition(observedWith("Completed", { spec: { action: "Ignore" } })).status;
    const later = { ...observedWith("Ignored", { spec: { action: "Ignore" } }), now: 1_900_000_000_000, stored: first };
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
    const { status, effect } = transition(observedWith(phase, { blocked: missing, items: begun }));
    expect(status.phase).toBe("PrerequisiteFailed");
    expect(conditionOf(status, "PrerequisiteFailed")?.message).toBe(missing.message);
    expect(effect).toBeUndefined();
  });

  test("changes nothing in Failed", () => {
    expect(transition(observedWith("Failed", { blocked: missing })).status.phase).toBe("Failed");
  });

  test("leaves a profile that refuses its options alone until a plan is drafted", () => {
    const blocked = { kind: "other", message: "Invalid config: no" } as const;
    expect(transition(observedWith("Completed", { blocked })).status.phase).toBe("Completed");
  });
});

test("2.2.6: an approval while the plan runs is used up by it, also when the plan ends in the same reconcile", () => {
  const observed = observedWith("InProgress", { ...edited, items: [] });
  expect(transition(observed).status).toMatchObject({ phase: "Completed", executedGeneration: generation + 1 });
  const failing = [observedItem({ ...begunItem(psi()), state: "Failed" })];
  const failed = transition(observedWith("InProgress", { ...edited, items: failing })).status;
  expect(failed).toMatchObject({ phase: "Failed", executedGeneration: generation + 1 });
});

test("while a plan is drafted, the conditions report nothing else", () => {
  const { status } = transition(observedWith("Ignored"));
  expect(conditionOf(status, "Drafting")).toMatchObject({ status: "True", message: phaseMessages.generating });
});

const stale = [
  observedItem(psi(), { current: { uid: "u2", resourceVersion: "2", hash: "h2" } }),
  observedItem(deschedulerItem()),
];
const wanting = (given: ObservedOverrides): readonly Phase[] =>
  phases.filter((phase) => wantsDraft(observedWith(phase, given)));

const rows: readonly (readonly [string, ObservedOverrides, readonly Phase[]])[] = [
  ["a quiet reconcile drafts where a plan is due", {}, ["Drafting"]],
  [
    "a target that moved is drafted in review",
    { items: stale, spec: { action: "DryRun" } },
    ["Drafting", "ReviewRequired"],
  ],
  ["an upgrade that looks adopted is", { upgrade: "aligned" }, ["Drafting", "CompletedWithUpgrade"]],
  ["an upgrade that does not is not", { upgrade: "differs" }, ["Drafting"]],
  [
    "moved inputs are drafted by the next reconcile",
    { inputs: [input({ now: "9" })], items: stale, upgrade: "aligned" },
    ["Drafting"],
  ],
  ["nothing is drafted that cannot be planned", { blocked: { kind: "other", message: "" }, items: stale }, []],
  ["nothing is drafted that is ignored", { spec: { action: "Ignore" } }, []],
  ["an edit is first written down", { generation: generation + 1, spec: { action: "DryRun" } }, ["Drafting"]],
];

test.each(rows)("%s", (_reason, given, wanted) => {
  expect(wanting(given)).toEqual(wanted);
});
