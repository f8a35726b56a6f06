import { describe, expect, test } from "vitest";
import { conditionOf } from "../conditions/status-conditions.ts";
import {
  appliedItem,
  begunItem,
  deschedulerItem,
  doneItem,
  drift,
  failedItem,
  health,
  now,
  observedItem,
  psi,
  running,
  secondsAgo,
  summary,
} from "../testing/observed-fixtures.ts";
import { transition } from "../transition.ts";

describe("a failed item", () => {
  const next = observedItem(deschedulerItem());
  const renders = observedItem(appliedItem(psi()), { rollout: health("failed", "P cannot render") });
  const late = (ago: number) => {
    const item = { ...appliedItem(psi()), rollout: { startTime: secondsAgo(ago), before: [] } };
    return observedItem(item, { rollout: health("waiting", "P is updating") });
  };

  test("stops an Abort plan and explains its phase", () => {
    const { status, effect, requeue } = transition(running({ items: [renders, next] }));
    expect(effect).toBeUndefined();
    expect(requeue).toEqual({ when: "on-change" });
    expect(summary(status.items)).toEqual([
      ["Failed", "Health check failed: P cannot render"],
      ["Pending", "Not applied: item 'enable-psi-metrics' failed"],
    ]);
    expect(conditionOf(status, "Failed")?.message).toBe(
      "Item 'enable-psi-metrics' failed: Health check failed: P cannot render",
    );
  });

  test("ends begun and waiting items of an Abort plan", () => {
    const waiting = observedItem(appliedItem(psi({ name: "other" })), { rollout: health("waiting", "P is updating") });
    const items = [renders, waiting, observedItem(begunItem(deschedulerItem()))];
    const { status } = transition(running({ items }));
    expect(summary(status.items).slice(1)).toEqual([
      ["Failed", "No longer waiting for the rollout: item 'enable-psi-metrics' failed"],
      ["Pending", "Not applied: item 'enable-psi-metrics' failed"],
    ]);
  });

  test("leaves an item whose write arrived without an answer applied", () => {
    const { status } = transition(
      running({ items: [renders, observedItem(begunItem(deschedulerItem()), { isInPlace: true })] }),
    );
    expect(summary(status.items)[1]).toEqual(["Completed", "Applied successfully"]);
  });

  test("does not stop a Continue plan", () => {
    const { status } = transition(running({ items: [renders, next], spec: { failurePolicy: "Continue" } }));
    expect(status.phase).toBe("InProgress");
    expect(status.items?.map(({ state }) => state)).toEqual(["Failed", "InProgress"]);
  });

  test("ends a Continue plan in CompletedWithErrors", () => {
    const items = [observedItem(failedItem(psi())), observedItem(doneItem(deschedulerItem()), { drift: drift() })];
    const { status } = transition(running({ items, spec: { failurePolicy: "Continue" } }));
    expect(status.phase).toBe("CompletedWithErrors");
  });

  test.each([
    ["1h30m", 5401, "1h30m1s", "1h30m0s"],
    ["30m", 1801, "30m1s", "30m0s"],
    ["24h", 86_401, "24h0m1s", "24h0m0s"],
    ["44s", 45, "45s", "44s"],
    ["1500ms", 2, "2s", "1s"],
  ])("a wait of more than %s fails", (waitTimeout, ago, elapsed, timeout) => {
    const { status } = transition(running({ items: [late(ago), next], spec: { waitTimeout } }));
    expect(status.items?.[0]).toMatchObject({
      state: "Failed",
      message: `Timeout waiting for resource to become healthy (waited ${elapsed}, timeout ${timeout}): P is updating`,
    });
    expect(conditionOf(status, "Failed")?.message).toBe(`Item 'enable-psi-metrics' failed: timeout after ${elapsed}`);
  });

  test("a wait of exactly the timeout does not fail, and is requeued", () => {
    const { status, requeue } = transition(running({ items: [late(1790)], spec: { waitTimeout: "30m" } }));
    expect(status.phase).toBe("InProgress");
    expect(requeue).toEqual({ when: "at", atMs: now + 11_000 });
    expect(transition(running({ items: [late(1800)], spec: { waitTimeout: "30m" } })).status.phase).toBe("InProgress");
  });

  test("without a timeout, no item is late", () => {
    expect(transition(running({ items: [late(10_000_000)] })).status.phase).toBe("InProgress");
  });

  test("a degraded pool may recover", () => {
    const items = [observedItem(appliedItem(psi()), { rollout: health("degraded", "P is degraded") })];
    const { status } = transition(running({ items }));
    expect(summary(status.items)).toEqual([["InProgress", "P is degraded"]]);
  });
});
