import { describe, expect, test } from "vitest";
import { confirmItem, isMachineConfig, isSkipped, isWriteOpen, withTimesOf, worstImpact } from "./items.ts";
import { nextRequeueAt, startNextItem } from "./progress.ts";
import {
  appliedItem,
  begunItem,
  deschedulerItem,
  doneItem,
  now,
  observedItem,
  psi,
  secondsAgo,
  spec,
} from "./testing/observed-fixtures.ts";
import { stamp } from "./times.ts";

describe("a waiting plan is reconciled", () => {
  const waiting = (ago: number) => ({ ...appliedItem(psi()), rollout: { startTime: secondsAgo(ago), before: [] } });

  test("every 30 seconds", () => {
    expect(nextRequeueAt([waiting(0)], spec(), now)).toBe(now + 30_000);
    expect(nextRequeueAt([waiting(0)], spec({ waitTimeout: "1h" }), now)).toBe(now + 30_000);
  });

  test("and shortly after the timeout of an item", () => {
    expect(nextRequeueAt([waiting(3590), waiting(0)], spec({ waitTimeout: "1h" }), now)).toBe(now + 11_000);
  });

  test("at most once a second after a timeout", () => {
    expect(nextRequeueAt([waiting(9000)], spec({ waitTimeout: "1h" }), now)).toBe(now + 1_000);
  });
});

describe("at most one write is open", () => {
  test("the next item waits for the result", () => {
    const items = [begunItem(psi()), deschedulerItem()];
    expect(
      startNextItem(
        items,
        items.map((item) => observedItem(item)),
        now,
      ).items,
    ).toEqual(items);
  });

  test("the first pending item is next", () => {
    const items = [doneItem(psi()), deschedulerItem(), psi({ name: "third" })];
    const next = startNextItem(items, [], now);
    expect(next.begun).toBe(deschedulerItem().name);
    expect(next.items.map(({ state }) => state)).toEqual(["Completed", "InProgress", "Pending"]);
  });

  test("records the pools when a rollout begins", () => {
    const pools = [{ pool: "worker", configuration: "rendered-1" }];
    const [item] = startNextItem([psi()], [observedItem(psi(), { pools })], now).items;
    expect(item?.rollout).toEqual({ startTime: stamp(now), before: pools });
    expect(startNextItem([deschedulerItem()], [], now).items[0]).not.toHaveProperty("rollout");
  });
});

test("a write is open until it is confirmed", () => {
  expect([psi(), begunItem(psi()), appliedItem(psi()), doneItem(psi())].map(isWriteOpen)).toEqual([
    false,
    true,
    false,
    false,
  ]);
  expect(isWriteOpen({ ...begunItem(psi()), changes: false })).toBe(false);
  expect(isWriteOpen(confirmItem(begunItem(psi()), now))).toBe(false);
});

test("an item is skipped if it changes nothing and has no object", () => {
  const reviewed = { uid: "", resourceVersion: "", hash: "h" };
  expect(isSkipped(psi({ changes: false, reviewed }))).toBe(true);
  expect(isSkipped(psi({ reviewed }))).toBe(false);
  expect(isSkipped(psi({ changes: false }))).toBe(false);
});

test("recognizes a MachineConfig by group and kind", () => {
  const targetRef = { apiVersion: "example.com/v1", kind: "MachineConfig", name: "x" };
  expect([psi(), deschedulerItem(), psi({ targetRef })].map(isMachineConfig)).toEqual([true, false, false]);
});

test("a new plan keeps the time of items with an unchanged state", () => {
  const before = [{ ...doneItem(psi()), lastTransitionTime: secondsAgo(500) }];
  expect(
    withTimesOf(before, [doneItem(psi()), doneItem(deschedulerItem())]).map((item) => item.lastTransitionTime),
  ).toEqual([secondsAgo(500), secondsAgo(60)]);
});

test("the impact is that of the worst item, or without items of the profile", () => {
  const items = (["Low", "High", "Medium"] as const).map((impactSeverity) => ({ impactSeverity }));
  expect(worstImpact(items, "Low")).toBe("High");
  expect(worstImpact(items.slice(0, 1), "High")).toBe("Low");
  expect(worstImpact([], "Medium")).toBe("Medium");
});
