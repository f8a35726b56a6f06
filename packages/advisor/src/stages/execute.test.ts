import type { Item, Phase } from "@virt/api";
import { describe, expect, test } from "vitest";
import { conditionOf } from "../conditions/status-conditions.ts";
import { itemMessages } from "../items.ts";
import {
  appliedItem,
  begunItem,
  deschedulerItem,
  doneItem,
  drift,
  examplePlanHash,
  failedItem,
  generation,
  health,
  input,
  now,
  type ObservedOverrides,
  observedItem,
  observedWith,
  otherHash,
  psi,
  removal,
  secondsAgo,
} from "../testing/observed-fixtures.ts";
import { transition } from "../transition.ts";

const running = (given: ObservedOverrides) => observedWith("InProgress", given);
const summary = (items: readonly Item[] = []) => items.map(({ state, message }) => [state, message]);
const moved = { uid: "u1", resourceVersion: "2", hash: "h2" };

test("6.1: an item is on record before it is applied", () => {
  const { status, effect, requeue } = transition(
    running({ items: [observedItem(doneItem(psi())), observedItem(deschedulerItem())] }),
  );
  expect(effect).toBeUndefined();
  expect(requeue).toEqual({ when: "at-once" });
  expect(summary(status.items)).toContainEqual(["InProgress", "Applying configuration..."]);
});

test("6.1: an item on record is applied as it was recorded", () => {
  const item = begunItem(deschedulerItem());
  const { effect } = transition(running({ items: [observedItem(doneItem(psi())), observedItem(item)] }));
  expect(effect).toEqual({ kind: "execute", item });
});

test("6.1: after a crash an item on record is asked about again, stale or not", () => {
  const items = [observedItem(begunItem(psi()), { current: moved })];
  expect(transition(running({ items })).effect?.item.name).toBe(psi().name);
});

test("6.1: what was recorded as applied is not applied again", () => {
  const items = [observedItem(appliedItem(psi()), { rollout: health("waiting") })];
  expect(transition(running({ items })).effect).toBeUndefined();
});

test("6.1: a removal says that it removes", () => {
  const { status } = transition(running({ items: [observedItem(removal())] }));
  expect(summary(status.items)).toEqual([["InProgress", itemMessages.deleting]]);
});

describe("6.1: a pending item whose target moved", () => {
  const items = [observedItem(begunItem(psi())), observedItem(deschedulerItem(), { current: moved })];

  test("stops the plan before anything is applied", () => {
    const { status, effect } = transition(running({ items }));
    expect(effect).toBeUndefined();
    expect(status).toMatchObject({
      phase: "Drafting",
      review: { planHash: examplePlanHash, generation, forced: true, reason: "PlanStale" },
    });
    expect(conditionOf(status, "PlanStale")).toMatchObject({ status: "True", reason: "TargetsModified" });
  });

  test("does not matter with bypassOptimisticLock", () => {
    expect(transition(running({ items, spec: { bypassOptimisticLock: true } })).effect?.item.name).toBe(psi().name);
  });

  test("does matter where a plan is pinned", () => {
    const spec = { bypassOptimisticLock: true, approvedPlan: examplePlanHash };
    expect(transition(running({ items, spec })).status.phase).toBe("Drafting");
  });
});

describe("approval while a plan runs", () => {
  const items = [observedItem(begunItem(psi()))];
  const rows: readonly { reason: string; given: ObservedOverrides; phase: Phase }[] = [
    { reason: "goes away with the action", given: { spec: { action: "DryRun" } }, phase: "Drafting" },
    { reason: "goes away with another pin", given: { spec: { approvedPlan: otherHash } }, phase: "ReviewRequired" },
    {
      reason: "goes away when the cluster asks for pins",
      given: { operator: { version: "v2", mustPin: true } },
      phase: "ReviewRequired",
    },
  ];
  test.each(rows)("$reason, and nothing is applied", ({ given, phase }) => {
    const { status, effect } = transition(running({ ...given, items }));
    expect(effect).toBeUndefined();
    expect(status.phase).toBe(phase);
  });

  test("does not depend on inputs", () => {
    expect(transition(running({ items, inputs: [input({ now: "10" })] })).effect?.item.name).toBe(psi().name);
  });
});

describe("6.1: order", () => {
  const rolling = observedItem(appliedItem(psi()), { rollout: health("waiting", "P is updating") });
  const waits = (item: Item): Item => ({ ...item, waitsFor: psi().name });

  test("an item that waits for its pools does not hold back the next", () => {
    const { status } = transition(running({ items: [rolling, observedItem(deschedulerItem())] }));
    expect(summary(status.items)).toEqual([
      ["InProgress", "P is updating"],
      ["InProgress", itemMessages.applying],
    ]);
  });

  test("unless that one declares that it waits", () => {
    const { status, requeue } = transition(running({ items: [rolling, observedItem(waits(deschedulerItem()))] }));
    expect(summary(status.items)).toEqual([
      ["InProgress", "P is updating"],
      ["Pending", "Waiting for item 'enable-psi-metrics'"],
    ]);
    expect(requeue).toEqual({ when: "at", atMs: now + 30_000 });
  });

  test("until that item is completed", () => {
    const done = observedItem(appliedItem(psi()), { rollout: health("done", "P is ready") });
    const { status } = transition(running({ items: [done, observedItem(waits(deschedulerItem()))] }));
    expect(summary(status.items)).toEqual([
      ["Completed", "P is ready"],
      ["InProgress", itemMessages.applying],
    ]);
  });

  test("an item that waits for one that is not part of the plan waits for nothing", () => {
    const { status } = transition(running({ items: [observedItem(waits(deschedulerItem()))] }));
    expect(status.items?.[0]?.state).toBe("InProgress");
  });

  test("an item that waits for a failed one fails with it, and is never applied", () => {
    const items = [observedItem(failedItem(psi())), observedItem(waits(deschedulerItem()))];
    const { status, effect } = transition(running({ items, spec: { failurePolicy: "Continue" } }));
    expect(effect).toBeUndefined();
    expect(status.items?.[1]).toMatchObject({
      state: "Failed",
      message: "Not applied: item 'enable-psi-metrics' failed",
    });
  });
});

test("6.1: an item that changes nothing is not applied", () => {
  const items = [
    observedItem(psi({ changes: false }), { rollout: health("waiting", "P is updating") }),
    observedItem(deschedulerItem({ changes: false })),
  ];
  const { status, effect } = transition(running({ items }));
  expect(effect).toBeUndefined();
  expect(summary(status.items)).toEqual([
    ["InProgress", "P is updating"],
    ["Completed", "Already in desired state"],
  ]);
  expect(status.items?.[0]?.rollout?.startTime).toBe(secondsAgo(0));
});

describe("6.8: the end", () => {
  const all = [observedItem(doneItem(psi()), { current: moved }), observedItem(doneItem(deschedulerItem()))];

  test("is reached when nothing is open, and takes what was verified as the new reference", () => {
    const inputs = [input({ name: "read", applied: "4" }), input({ name: "written", planned: "150" })];
    const was = {
      inputs: [
        { name: "read", used: "5", applied: "4" },
        { name: "written", used: "5" },
      ],
    };
    const { status, requeue } = transition(running({ items: all, inputs, stored: was }));
    expect(requeue).toEqual({ when: "at-once" });
    expect(status).toMatchObject({
      phase: "Completed",
      sourceSnapshotHash: "snapshot-now",
      inputs: [
        { name: "read", used: "5", applied: "5" },
        { name: "written", used: "5", applied: "150" },
      ],
    });
    expect(status.items?.[0]?.reviewed).toEqual(moved);
  });

  test("forgets no input, also when nothing can be planned at that moment", () => {
    const blocked = { kind: "other", message: "Invalid config: no" } as const;
    const { status } = transition(running({ items: all, blocked, stored: { inputs: [{ name: "a", used: "1" }] } }));
    expect(status.inputs).toEqual([{ name: "a", used: "1", applied: "1" }]);
  });

  test("is not reached by a reconcile that has not checked the item it completes for drift", () => {
    const items = [observedItem(appliedItem(psi()), { rollout: health("done", "P is ready") })];
    const { status, requeue } = transition(running({ items }));
    expect(status.phase).toBe("InProgress");
    expect(summary(status.items)).toEqual([["Completed", "P is ready"]]);
    expect(requeue).toEqual({ when: "at-once" });
  });

  test("reports at once that a pool of a completed item is not done any more", () => {
    const items = [observedItem(doneItem(psi()), { rollout: health("waiting", "P is updating") })];
    const { status } = transition(running({ items }));
    expect(conditionOf(status, "Ready")).toMatchObject({
      status: "False",
      reason: "NotConverged",
      message: "P is updating",
    });
  });

  test("is Drifted where a completed item is out of sync", () => {
    const items = [observedItem(doneItem(psi())), observedItem(doneItem(deschedulerItem()), { drift: drift() })];
    const { status } = transition(running({ items }));
    expect(status.phase).toBe("Drifted");
    expect(conditionOf(status, "Drifted")?.message).toContain("KubeDescheduler 'cluster': spec.mode");
  });

  test("drift of a completed item shows while others run", () => {
    const items = [
      observedItem(doneItem(deschedulerItem()), { drift: drift() }),
      observedItem(appliedItem(psi()), { rollout: health("waiting") }),
    ];
    const { status } = transition(running({ items }));
    expect(status.phase).toBe("InProgress");
    expect(status.items?.[0]?.message).toContain("Configuration has drifted from desired state: spec.mode");
  });
});
