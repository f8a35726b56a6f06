import type { Item } from "@virt/api";
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
  type ObservedOverrides,
  observedItem,
  observedWith,
  psi,
  secondsAgo,
} from "../testing/observed-fixtures.ts";
import { transition } from "../transition.ts";

const running = (given: ObservedOverrides) => observedWith("InProgress", given);
const summary = (items: readonly Item[] = []) => items.map(({ state, message }) => [state, message]);

describe("6.4 and 6.5: failures", () => {
  const next = observedItem(deschedulerItem());
  const renders = observedItem(appliedItem(psi()), { rollout: health("failed", "P cannot render") });
  const late = (ago: number) => {
    const item = { ...appliedItem(psi()), rollout: { startTime: secondsAgo(ago), before: [] } };
    return observedItem(item, { rollout: health("waiting", "P is updating") });
  };

  test("Abort: nothing further is applied, the phase says why", () => {
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

  test("Abort: an item that was begun, or waited for, is not left open", () => {
    const waiting = observedItem(appliedItem(psi({ name: "other" })), { rollout: health("waiting", "P is updating") });
    const items = [renders, waiting, observedItem(begunItem(deschedulerItem()))];
    const { status } = transition(running({ items }));
    expect(summary(status.items).slice(1)).toEqual([
      ["Failed", "No longer waiting for the rollout: item 'enable-psi-metrics' failed"],
      ["Pending", "Not applied: item 'enable-psi-metrics' failed"],
    ]);
  });

  test("Abort: a write that arrived, though its answer did not, counts as applied", () => {
    const { status } = transition(
      running({ items: [renders, observedItem(begunItem(deschedulerItem()), { isInPlace: true })] }),
    );
    expect(summary(status.items)[1]).toEqual(["Completed", "Applied successfully"]);
  });

  test("Continue: the rest is done", () => {
    const { status } = transition(running({ items: [renders, next], spec: { failurePolicy: "Continue" } }));
    expect(status.phase).toBe("InProgress");
    expect(status.items?.map(({ state }) => state)).toEqual(["Failed", "InProgress"]);
  });

  test("Continue: ends in CompletedWithErrors", () => {
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

  test("a wait of exactly the timeout does not, and is reconciled when it is over", () => {
    const { status, requeue } = transition(running({ items: [late(1790)], spec: { waitTimeout: "30m" } }));
    expect(status.phase).toBe("InProgress");
    expect(requeue).toEqual({ when: "at", atMs: now + 11_000 });
    expect(transition(running({ items: [late(1800)], spec: { waitTimeout: "30m" } })).status.phase).toBe("InProgress");
  });

  test("without a timeout nothing is ever late", () => {
    expect(transition(running({ items: [late(10_000_000)] })).status.phase).toBe("InProgress");
  });

  test("a degraded pool may heal", () => {
    const items = [observedItem(appliedItem(psi()), { rollout: health("degraded", "P is degraded") })];
    const { status } = transition(running({ items }));
    expect(summary(status.items)).toEqual([["InProgress", "P is degraded"]]);
  });
});
