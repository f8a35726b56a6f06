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

type Case = readonly [reason: string, seen: Observed, phase: Phase];

const cases: readonly Case[] = [
  ["drafts a config that is no longer ignored", observedWith("Ignored"), "Drafting"],
  ["drafts a config that was never reconciled", { ...observedWith("Pending"), stored: {} }, "Drafting"],
  ["resets an unknown phase", observedWith("Pending", { stored: { phase: "Paused" as Phase } }), "Drafting"],
  [
    "an approval executes the shown plan",
    observedWith("ReviewRequired", { ...edited, stored: { executedGeneration: generation } }),
    "InProgress",
  ],
  [
    "naming the plan approves it",
    observedWith("ReviewRequired", { ...edited, spec: { approvedPlan: examplePlanHash } }),
    "InProgress",
  ],
  [
    "an approval with other options redrafts the plan",
    observedWith("ReviewRequired", {
      ...edited,
      spec: { failurePolicy: "Continue" },
      stored: { specHash: "other" },
    }),
    "Drafting",
  ],
  [
    "a DryRun during review redrafts the plan",
    observedWith("ReviewRequired", { ...edited, spec: { action: "DryRun" } }),
    "Drafting",
  ],
  [
    "naming the running plan continues it",
    observedWith("InProgress", { ...edited, items: begun, spec: { approvedPlan: examplePlanHash } }),
    "InProgress",
  ],
  [
    "an unnamed approval continues the running plan",
    observedWith("InProgress", { ...edited, items: begun }),
    "InProgress",
  ],
  [
    "naming another plan stops the running one",
    observedWith("InProgress", { ...edited, items: begun, spec: { approvedPlan: otherHash } }),
    "Drafting",
  ],
  [
    "a DryRun stops a running plan before the next item",
    observedWith("InProgress", { ...edited, items: begun, spec: { action: "DryRun" } }),
    "Drafting",
  ],
  [
    "other options stop a running plan",
    observedWith("InProgress", { ...edited, items: begun, stored: { specHash: "other" } }),
    "Drafting",
  ],
  [
    "a config in Drafting continues with its new spec",
    observedWith("Drafting", { ...edited, draft: drafted([psi()]) }),
    "InProgress",
  ],
];

test.each(cases)("%s", (_reason, seen, phase) => {
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

test.each(redrafted)("any edit in %s redrafts the plan", (phase) => {
  const { status, effect, requeue } = transition(observedWith(phase, { ...edited, blocked: missing }));
  expect(status).toMatchObject({ phase: "Drafting", observedGeneration: generation + 1 });
  expect(effect).toBeUndefined();
  expect(requeue).toEqual({ when: "at-once" });
});

describe("Ignore", () => {
  test.each(phases)("takes effect in one reconcile from %s and keeps the items", (phase) => {
    const observed = observedWith(phase, { ...edited, spec: { action: "Ignore" }, blocked: missing });
    const { status, effect, requeue } = transition(observed);
    expect(status.phase).toBe("Ignored");
    expect(status.items).toEqual(observed.stored.items);
    expect(status.executedGeneration).toBeUndefined();
    expect(effect).toBeUndefined();
    expect(requeue).toEqual({ when: "on-change" });
  });

  test("updates the impact to that of the items or profile", () => {
    const ignore: ObservedOverrides = {
      spec: { action: "Ignore" },
      impact: "Medium",
      stored: { impactSeverity: "Low" },
    };
    expect(transition(observedWith("Completed", ignore)).status.impactSeverity).toBe("High");
    expect(transition(observedWith("Completed", { ...ignore, items: [] })).status.impactSeverity).toBe("Medium");
  });

  test("writes nothing if the config is already ignored", () => {
    const first = transition(observedWith("Completed", { spec: { action: "Ignore" } })).status;
    const later = { ...observedWith("Ignored", { spec: { action: "Ignore" } }), now: 1_900_000_000_000, stored: first };
    expect(transition(later).status).toEqual(first);
  });
});

describe("a CRD that is no longer served", () => {
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

  test("leaves a profile with rejected options alone until the next draft", () => {
    const blocked = { kind: "other", message: "Invalid config: no" } as const;
    expect(transition(observedWith("Completed", { blocked })).status.phase).toBe("Completed");
  });
});

test("a running plan uses up a new approval, even when it ends", () => {
  const observed = observedWith("InProgress", { ...edited, items: [] });
  expect(transition(observed).status).toMatchObject({ phase: "Completed", executedGeneration: generation + 1 });
  const failing = [observedItem({ ...begunItem(psi()), state: "Failed" })];
  const failed = transition(observedWith("InProgress", { ...edited, items: failing })).status;
  expect(failed).toMatchObject({ phase: "Failed", executedGeneration: generation + 1 });
});

test("during Drafting, the conditions report nothing else", () => {
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
  ["drafts only a due plan by default", {}, ["Drafting"]],
  [
    "drafts a changed target during review",
    { items: stale, spec: { action: "DryRun" } },
    ["Drafting", "ReviewRequired"],
  ],
  ["drafts an upgrade that the cluster already matches", { upgrade: "aligned" }, ["Drafting", "CompletedWithUpgrade"]],
  ["does not draft an upgrade with changes", { upgrade: "differs" }, ["Drafting"]],
  [
    "drafts changed inputs in the next reconcile",
    { inputs: [input({ now: "9" })], items: stale, upgrade: "aligned" },
    ["Drafting"],
  ],
  ["does not draft if planning is blocked", { blocked: { kind: "other", message: "" }, items: stale }, []],
  ["does not draft if the config is ignored", { spec: { action: "Ignore" } }, []],
  ["drafts an edit after it is recorded", { generation: generation + 1, spec: { action: "DryRun" } }, ["Drafting"]],
];

test.each(rows)("%s", (_reason, given, wanted) => {
  expect(wanting(given)).toEqual(wanted);
});
