import type { Phase } from "@virt/api";
import { describe, expect, test } from "vitest";
import { conditionOf } from "../conditions/status-conditions.ts";
import { itemMessages } from "../items.ts";
import type { Observed } from "../observed.ts";
import {
  deschedulerItem,
  doneItem,
  drift,
  failedItem,
  generation,
  health,
  input,
  now,
  type ObservedOverrides,
  observedItem,
  observedWith,
  psi,
  secondsAgo,
} from "../testing/observed-fixtures.ts";
import { transition } from "../transition.ts";

const fine = [observedItem(doneItem(psi())), observedItem(doneItem(deschedulerItem()))];
const drifted = [observedItem(doneItem(psi())), observedItem(doneItem(deschedulerItem()), { drift: drift() })];
const halfFailed = [observedItem(failedItem(psi())), observedItem(doneItem(deschedulerItem()))];
const movedInput = { inputs: [input({ now: "10" })] };
const at = (phase: Phase, given: ObservedOverrides = {}): Observed => observedWith(phase, { items: fine, ...given });

const guarded: readonly Phase[] = ["Completed", "CompletedWithErrors", "CompletedWithUpgrade", "Drifted"];

test.each(guarded)("%s: a changed input causes a redraft, before drift counts", (phase) => {
  const { status, requeue, effect } = transition(at(phase, { ...movedInput, items: drifted }));
  expect(status.phase).toBe("Drafting");
  expect(requeue).toEqual({ when: "at-once" });
  expect(effect).toBeUndefined();
  expect(conditionOf(status, "InputDependencyDrift")).toMatchObject({
    status: "True",
    reason: "InputChanged",
    message: "Input dependency changed: HCO parallelMigrationsPerCluster changed (scaled 5 -> 10)",
  });
});

test.each(guarded)("%s: reports drift with kind, name and fields", (phase) => {
  const { status } = transition(at(phase, { items: drifted }));
  expect(status.phase).toBe("Drifted");
  expect(conditionOf(status, "Drifted")?.message).toBe(
    'Configuration has drifted from desired state: KubeDescheduler \'cluster\': spec.mode ("Automatic" -> "Predictive"), by kubectl-edit',
  );
  expect(status.items?.[1]).toMatchObject({
    state: "Completed",
    message: 'Configuration has drifted from desired state: spec.mode ("Automatic" -> "Predictive"), by kubectl-edit',
    diff: "--- drifted\n",
  });
});

type Case = { readonly reason: string; readonly seen: Observed; readonly phase: Phase };

const cases: readonly Case[] = [
  { reason: "Completed stays", seen: at("Completed"), phase: "Completed" },
  {
    reason: "CompletedWithErrors stays while a failed item is out of sync",
    seen: at("CompletedWithErrors", { items: [observedItem(failedItem(psi()), { drift: drift() }), ...fine.slice(1)] }),
    phase: "CompletedWithErrors",
  },
  {
    reason: "CompletedWithErrors stays while a pool updates",
    seen: at("CompletedWithErrors", { items: [observedItem(failedItem(psi()), { rollout: health("waiting") })] }),
    phase: "CompletedWithErrors",
  },
  {
    reason: "CompletedWithErrors becomes Completed when all items recover",
    seen: at("CompletedWithErrors", { items: halfFailed }),
    phase: "Completed",
  },
  { reason: "Drifted becomes Completed when the live object is back", seen: at("Drifted"), phase: "Completed" },
  {
    reason: "Drifted becomes CompletedWithErrors if an item had failed",
    seen: at("Drifted", { items: halfFailed }),
    phase: "CompletedWithErrors",
  },
  {
    reason: "Drifted stays without automatic correction",
    seen: at("Drifted", { items: drifted }),
    phase: "Drifted",
  },
  {
    reason: "Drifted stays for a DryRun",
    seen: at("Drifted", { items: drifted, spec: { action: "DryRun", bypassOptimisticLock: true } }),
    phase: "Drifted",
  },
  {
    reason: "Drifted is corrected if the user enabled it",
    seen: at("Drifted", { items: drifted, spec: { bypassOptimisticLock: true } }),
    phase: "InProgress",
  },
  {
    reason: "drift is reported before it is corrected",
    seen: at("Completed", { items: drifted, spec: { bypassOptimisticLock: true } }),
    phase: "Drifted",
  },
];

test.each(cases)("$reason", ({ seen, phase }) => {
  const { status, effect } = transition(seen);
  expect(status.phase).toBe(phase);
  expect(effect).toBeUndefined();
});

test("a recovered item has the message of a completed one", () => {
  const { status } = transition(at("CompletedWithErrors", { items: halfFailed, inputs: [input()] }));
  expect(status.items?.[0]).toMatchObject({ state: "Completed", message: "Already in desired state" });
});

test("an item whose drift clears gets back its message and diff", () => {
  const stained = { ...doneItem(deschedulerItem()), message: "Configuration has drifted", diff: "--- drifted\n" };
  const { status } = transition(at("Drifted", { items: [observedItem(stained)] }));
  expect(status.items).toEqual([doneItem(deschedulerItem())]);
});

test("Completed ends a review", () => {
  const review = { planHash: "x", generation, forced: true, reason: "OperatorUpgraded" } as const;
  expect(transition(at("Drifted", { stored: { review } })).status).not.toHaveProperty("review");
});

describe("a pool that updates again", () => {
  const unhealthy = [observedItem(doneItem(psi()), { rollout: health("degraded", "P is degraded") }), ...fine.slice(1)];
  test.each<Phase>(["Completed", "CompletedWithUpgrade"])("changes message and Ready in %s, but no state", (phase) => {
    const upgrade = phase === "Completed" ? {} : ({ upgrade: "differs", stored: { operatorVersion: "v1" } } as const);
    const { status } = transition(at(phase, { items: unhealthy, ...upgrade }));
    expect(status.phase).toBe(phase);
    expect(status.items?.[0]).toMatchObject({ state: "Completed", message: "P is degraded" });
    expect(conditionOf(status, "Ready")).toMatchObject({
      status: "False",
      reason: "NotConverged",
      message: "P is degraded",
    });
  });
});

describe("automatic correction", () => {
  const bypass = { spec: { bypassOptimisticLock: true } };

  test("skips mutations by admission and checks again after a minute", () => {
    const mutated = observedItem(doneItem(deschedulerItem()), { drift: drift({ kind: "mutated" }) });
    const { status, requeue } = transition(
      at("Drifted", { ...bypass, items: [observedItem(doneItem(psi())), mutated] }),
    );
    expect(status.phase).toBe("Drifted");
    expect(status.items?.[1]).not.toHaveProperty("corrections");
    expect(requeue).toEqual({ when: "at", atMs: now + 60_000 });
  });
  const conflict = { field: "spec.mode", manager: "kubectl-edit", operation: "Update" } as const;
  const current = { uid: "u1", resourceVersion: "9", hash: "h9" };
  const corrected = (corrections: readonly string[]) => [
    observedItem(doneItem(psi())),
    observedItem({ ...doneItem(deschedulerItem()), corrections }, { drift: drift({ conflicts: [conflict] }), current }),
  ];

  test("records the drifted items in their current state before it starts", () => {
    const { status, requeue } = transition(at("Drifted", { ...bypass, items: corrected([]) }));
    expect(requeue).toEqual({ when: "at-once" });
    expect(status.executedGeneration).toBe(generation);
    expect(status.items?.[0]).toEqual(doneItem(psi()));
    expect(status.items?.[1]).toMatchObject({
      state: "Pending",
      message: itemMessages.correcting,
      changes: true,
      conflicts: [conflict],
      diff: "--- drifted\n",
      reviewed: current,
      corrections: [secondsAgo(0)],
    });
    expect(status.items?.[1]).not.toHaveProperty("appliedTime");
  });

  const rows: readonly { reason: string; ago: readonly number[]; phase: Phase; reconciling: string; atMs?: number }[] =
    [
      {
        reason: "waits a minute before the second correction",
        ago: [59],
        phase: "Drifted",
        reconciling: "Correcting",
        atMs: 1_000,
      },
      {
        reason: "makes the second correction after a minute",
        ago: [60],
        phase: "InProgress",
        reconciling: "InProgress",
      },
      {
        reason: "waits five minutes before the third correction",
        ago: [360, 299],
        phase: "Drifted",
        reconciling: "Correcting",
        atMs: 1_000,
      },
      {
        reason: "makes the third correction after five minutes",
        ago: [360, 300],
        phase: "InProgress",
        reconciling: "InProgress",
      },
      {
        reason: "stops at the fourth correction within half an hour",
        ago: [1800, 700, 400],
        phase: "Drifted",
        reconciling: "Drifted",
        atMs: 1,
      },
      {
        reason: "resumes after half an hour",
        ago: [1801, 700, 400],
        phase: "InProgress",
        reconciling: "InProgress",
      },
    ];
  test.each(rows)("$reason", ({ ago, phase, reconciling, atMs }) => {
    const { status, requeue } = transition(at("Drifted", { ...bypass, items: corrected(ago.map(secondsAgo)) }));
    expect(status.phase).toBe(phase);
    expect(conditionOf(status, "Reconciling")?.reason).toBe(reconciling);
    expect(requeue.when === "at" ? requeue.atMs - now : undefined).toBe(atMs);
    expect(status.items?.[1]?.corrections?.length).toBeLessThanOrEqual(3);
  });

  test("reports an edit war with its managers", () => {
    const { status, requeue } = transition(
      at("Drifted", { ...bypass, items: corrected([1700, 700, 400].map(secondsAgo)) }),
    );
    expect(conditionOf(status, "Stalled")).toMatchObject({
      status: "True",
      reason: "DriftFight",
      message:
        "Automatic correction stopped: KubeDescheduler 'cluster' was changed back 3 times within 30m0s by kubectl-edit: spec.mode",
    });
    expect(requeue).toEqual({ when: "at", atMs: now + 100_001 });
  });
});
