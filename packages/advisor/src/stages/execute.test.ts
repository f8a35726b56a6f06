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
  otherHash,
  psi,
  removal,
  running,
  secondsAgo,
  summary,
} from "../testing/observed-fixtures.ts";
import { transition } from "../transition.ts";

const moved = { uid: "u1", resourceVersion: "2", hash: "h2" };

test("records an item before it is applied", () => {
  const { status, effect, requeue } = transition(
    running({ items: [observedItem(doneItem(psi())), observedItem(deschedulerItem())] }),
  );
  expect(effect).toBeUndefined();
  expect(requeue).toEqual({ when: "at-once" });
  expect(summary(status.items)).toContainEqual(["InProgress", "Applying configuration..."]);
});

test("applies an item as it was recorded", () => {
  const item = begunItem(deschedulerItem());
  const { effect } = transition(running({ items: [observedItem(doneItem(psi())), observedItem(item)] }));
  expect(effect).toEqual({ kind: "execute", item });
});

test("applies a recorded item again after a crash, even if stale", () => {
  const items = [observedItem(begunItem(psi()), { current: moved })];
  expect(transition(running({ items })).effect?.item.name).toBe(psi().name);
});

test("does not apply an item that is recorded as applied", () => {
  const items = [observedItem(appliedItem(psi()), { rollout: health("waiting") })];
  expect(transition(running({ items })).effect).toBeUndefined();
});

test("a removal has its own message", () => {
  const { status } = transition(running({ items: [observedItem(removal())] }));
  expect(summary(status.items)).toEqual([["InProgress", itemMessages.deleting]]);
});

describe("a pending item whose target changed", () => {
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

  test("does not stop the plan with bypassOptimisticLock", () => {
    expect(transition(running({ items, spec: { bypassOptimisticLock: true } })).effect?.item.name).toBe(psi().name);
  });

  test("stops a named plan", () => {
    const spec = { bypassOptimisticLock: true, approvedPlan: examplePlanHash };
    expect(transition(running({ items, spec })).status.phase).toBe("Drafting");
  });
});

describe("the approval of a running plan", () => {
  const items = [observedItem(begunItem(psi()))];
  const rows: readonly { reason: string; given: ObservedOverrides; phase: Phase }[] = [
    { reason: "ends with the Apply action", given: { spec: { action: "DryRun" } }, phase: "Drafting" },
    {
      reason: "ends when another plan is named",
      given: { spec: { approvedPlan: otherHash } },
      phase: "ReviewRequired",
    },
    {
      reason: "ends when plans must be named",
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

describe("the order of items", () => {
  const rolling = observedItem(appliedItem(psi()), { rollout: health("waiting", "P is updating") });
  const waits = (item: Item): Item => ({ ...item, waitsFor: psi().name });

  test("the next item does not wait for the pools of this one", () => {
    const { status } = transition(running({ items: [rolling, observedItem(deschedulerItem())] }));
    expect(summary(status.items)).toEqual([
      ["InProgress", "P is updating"],
      ["InProgress", itemMessages.applying],
    ]);
  });

  test("an item with waitsFor waits for the other item", () => {
    const { status, requeue } = transition(running({ items: [rolling, observedItem(waits(deschedulerItem()))] }));
    expect(summary(status.items)).toEqual([
      ["InProgress", "P is updating"],
      ["Pending", "Waiting for item 'enable-psi-metrics'"],
    ]);
    expect(requeue).toEqual({ when: "at", atMs: now + 30_000 });
  });

  test("an item with waitsFor starts when the other item is completed", () => {
    const done = observedItem(appliedItem(psi()), { rollout: health("done", "P is ready") });
    const { status } = transition(running({ items: [done, observedItem(waits(deschedulerItem()))] }));
    expect(summary(status.items)).toEqual([
      ["Completed", "P is ready"],
      ["InProgress", itemMessages.applying],
    ]);
  });

  test("an item that waits for an absent item starts", () => {
    const { status } = transition(running({ items: [observedItem(waits(deschedulerItem()))] }));
    expect(status.items?.[0]?.state).toBe("InProgress");
  });

  test("an item that waits for a failed one fails unapplied", () => {
    const items = [observedItem(failedItem(psi())), observedItem(waits(deschedulerItem()))];
    const { status, effect } = transition(running({ items, spec: { failurePolicy: "Continue" } }));
    expect(effect).toBeUndefined();
    expect(status.items?.[1]).toMatchObject({
      state: "Failed",
      message: "Not applied: item 'enable-psi-metrics' failed",
    });
  });
});

test("an unchanged item is not applied", () => {
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

describe("a plan", () => {
  const all = [observedItem(doneItem(psi()), { current: moved }), observedItem(doneItem(deschedulerItem()))];

  test("completes without open items, and stores the verified state", () => {
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

  test("keeps its inputs even if nothing can be planned", () => {
    const blocked = { kind: "other", message: "Invalid config: no" } as const;
    const { status } = transition(running({ items: all, blocked, stored: { inputs: [{ name: "a", used: "1" }] } }));
    expect(status.inputs).toEqual([{ name: "a", used: "1", applied: "1" }]);
  });

  test("does not complete before its last item is checked for drift", () => {
    const items = [observedItem(appliedItem(psi()), { rollout: health("done", "P is ready") })];
    const { status, requeue } = transition(running({ items }));
    expect(status.phase).toBe("InProgress");
    expect(summary(status.items)).toEqual([["Completed", "P is ready"]]);
    expect(requeue).toEqual({ when: "at-once" });
  });

  test("reports a pool that updates again at once", () => {
    const items = [observedItem(doneItem(psi()), { rollout: health("waiting", "P is updating") })];
    const { status } = transition(running({ items }));
    expect(conditionOf(status, "Ready")).toMatchObject({
      status: "False",
      reason: "NotConverged",
      message: "P is updating",
    });
  });

  test("ends in Drifted if a completed item is out of sync", () => {
    const items = [observedItem(doneItem(psi())), observedItem(doneItem(deschedulerItem()), { drift: drift() })];
    const { status } = transition(running({ items }));
    expect(status.phase).toBe("Drifted");
    expect(conditionOf(status, "Drifted")?.message).toContain("KubeDescheduler 'cluster': spec.mode");
  });
});
