import type { Item, Phase } from "@virt/api";
import { describe, expect, test } from "vitest";
import { conditionOf } from "../conditions/read.ts";
import {
  appliedItem,
  begunItem,
  descheduler,
  doneItem,
  drift,
  failedItem,
  type Given,
  generation,
  health,
  input,
  now,
  observed,
  otherHash,
  planHash,
  psi,
  removal,
  secondsAgo,
  seenItem,
} from "../observed-world.ts";
import { texts } from "../texts.ts";
import { transition } from "../transition.ts";

const running = (given: Given) => observed("InProgress", given);
const summary = (items: readonly Item[] = []) => items.map(({ state, message }) => [state, message]);
const moved = { uid: "u1", resourceVersion: "2", hash: "h2" };

test("6.1: an item is on record before it is applied", () => {
  const { status, effect, again } = transition(
    running({ items: [seenItem(doneItem(psi())), seenItem(descheduler())] }),
  );
  expect(effect).toBeUndefined();
  expect(again).toEqual({ when: "at-once" });
  expect(summary(status.items)).toContainEqual(["InProgress", "Applying configuration..."]);
});

test("6.1: an item on record is applied as it was recorded", () => {
  const item = begunItem(descheduler());
  const { effect } = transition(running({ items: [seenItem(doneItem(psi())), seenItem(item)] }));
  expect(effect).toEqual({ kind: "execute", item });
});

test("6.1: after a crash an item on record is asked about again, stale or not", () => {
  const items = [seenItem(begunItem(psi()), { current: moved })];
  expect(transition(running({ items })).effect?.item.name).toBe(psi().name);
});

test("6.1: what was recorded as applied is not applied again", () => {
  const items = [seenItem(appliedItem(psi()), { rollout: health("waiting") })];
  expect(transition(running({ items })).effect).toBeUndefined();
});

test("6.1: a removal says that it removes", () => {
  const { status } = transition(running({ items: [seenItem(removal())] }));
  expect(summary(status.items)).toEqual([["InProgress", texts.deletingItem]]);
});

describe("6.1: a pending item whose target moved", () => {
  const items = [seenItem(begunItem(psi())), seenItem(descheduler(), { current: moved })];

  test("stops the plan before anything is applied", () => {
    const { status, effect } = transition(running({ items }));
    expect(effect).toBeUndefined();
    expect(status).toMatchObject({
      phase: "Drafting",
      review: { planHash, generation, forced: true, reason: "PlanStale" },
    });
    expect(conditionOf(status, "PlanStale")).toMatchObject({ status: "True", reason: "TargetsModified" });
  });

  test("does not matter to a person who said so", () => {
    expect(transition(running({ items, spec: { bypassOptimisticLock: true } })).effect?.item.name).toBe(psi().name);
  });

  test("does matter where a plan is pinned", () => {
    const spec = { bypassOptimisticLock: true, approvedPlan: planHash };
    expect(transition(running({ items, spec })).status.phase).toBe("Drafting");
  });
});

describe("approval while a plan runs", () => {
  const items = [seenItem(begunItem(psi()))];
  const rows: readonly { reason: string; given: Given; phase: Phase }[] = [
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
  const rolling = seenItem(appliedItem(psi()), { rollout: health("waiting", "P is updating") });
  const waits = (item: Item): Item => ({ ...item, waitsFor: psi().name });

  test("an item that waits for its pools does not hold back the next", () => {
    const { status } = transition(running({ items: [rolling, seenItem(descheduler())] }));
    expect(summary(status.items)).toEqual([
      ["InProgress", "P is updating"],
      ["InProgress", texts.applyingItem],
    ]);
  });

  test("unless that one declares that it waits", () => {
    const { status, again } = transition(running({ items: [rolling, seenItem(waits(descheduler()))] }));
    expect(summary(status.items)).toEqual([
      ["InProgress", "P is updating"],
      ["Pending", "Waiting for item 'enable-psi-metrics'"],
    ]);
    expect(again).toEqual({ when: "at", atMs: now + 30_000 });
  });

  test("until that item is completed", () => {
    const done = seenItem(appliedItem(psi()), { rollout: health("done", "P is ready") });
    const { status } = transition(running({ items: [done, seenItem(waits(descheduler()))] }));
    expect(summary(status.items)).toEqual([
      ["Completed", "P is ready"],
      ["InProgress", texts.applyingItem],
    ]);
  });

  test("an item that waits for one that is not part of the plan waits for nothing", () => {
    const { status } = transition(running({ items: [seenItem(waits(descheduler()))] }));
    expect(status.items?.[0]?.state).toBe("InProgress");
  });

  test("an item that waits for a failed one fails with it, and is never applied", () => {
    const items = [seenItem(failedItem(psi())), seenItem(waits(descheduler()))];
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
    seenItem(psi({ changes: false }), { rollout: health("waiting", "P is updating") }),
    seenItem(descheduler({ changes: false })),
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
  const all = [seenItem(doneItem(psi()), { current: moved }), seenItem(doneItem(descheduler()))];

  test("is reached when nothing is open, and takes what was verified as the new reference", () => {
    const inputs = [input({ name: "read", applied: "4" }), input({ name: "written", planned: "150" })];
    const was = {
      inputs: [
        { name: "read", used: "5", applied: "4" },
        { name: "written", used: "5" },
      ],
    };
    const { status, again } = transition(running({ items: all, inputs, was }));
    expect(again).toEqual({ when: "at-once" });
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
    const { status } = transition(running({ items: all, blocked, was: { inputs: [{ name: "a", used: "1" }] } }));
    expect(status.inputs).toEqual([{ name: "a", used: "1", applied: "1" }]);
  });

  test("is not reached by a pass that has not looked for drift in the item it completes", () => {
    const items = [seenItem(appliedItem(psi()), { rollout: health("done", "P is ready") })];
    const { status, again } = transition(running({ items }));
    expect(status.phase).toBe("InProgress");
    expect(summary(status.items)).toEqual([["Completed", "P is ready"]]);
    expect(again).toEqual({ when: "at-once" });
  });

  test("says at once when a pool of a completed item is not done any more", () => {
    const items = [seenItem(doneItem(psi()), { rollout: health("waiting", "P is updating") })];
    const { status } = transition(running({ items }));
    expect(conditionOf(status, "Ready")).toMatchObject({
      status: "False",
      reason: "NotConverged",
      message: "P is updating",
    });
  });

  test("is Drifted where a completed item is out of sync", () => {
    const items = [seenItem(doneItem(psi())), seenItem(doneItem(descheduler()), { drift: drift() })];
    const { status } = transition(running({ items }));
    expect(status.phase).toBe("Drifted");
    expect(conditionOf(status, "Drifted")?.message).toContain("KubeDescheduler 'cluster': spec.mode");
  });

  test("drift of a completed item shows while others run", () => {
    const items = [
      seenItem(doneItem(descheduler()), { drift: drift() }),
      seenItem(appliedItem(psi()), { rollout: health("waiting") }),
    ];
    const { status } = transition(running({ items }));
    expect(status.phase).toBe("InProgress");
    expect(status.items?.[0]?.message).toContain("Configuration has drifted from desired state: spec.mode");
  });
});
