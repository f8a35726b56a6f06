import type { Item } from "@virt/api";
import { describe, expect, test } from "vitest";
import { conditionOf } from "../conditions/read.ts";
import {
  appliedItem,
  descheduler,
  doneItem,
  drift,
  failedItem,
  type Given,
  health,
  now,
  observed,
  psi,
  secondsAgo,
  seenItem,
} from "../observed-world.ts";
import { transition } from "../transition.ts";

const running = (given: Given) => observed("InProgress", given);
const summary = (items: readonly Item[] = []) => items.map(({ state, message }) => [state, message]);

describe("6.4 and 6.5: failures", () => {
  const next = seenItem(descheduler());
  const renders = seenItem(appliedItem(psi()), { rollout: health("failed", "P cannot render") });
  const late = (ago: number) => {
    const item = { ...appliedItem(psi()), rollout: { startTime: secondsAgo(ago), before: [] } };
    return seenItem(item, { rollout: health("waiting", "P is updating") });
  };

  test("Abort: nothing further is applied, the phase says why", () => {
    const { status, effect, again } = transition(running({ items: [renders, next] }));
    expect(effect).toBeUndefined();
    expect(again).toEqual({ when: "on-change" });
    expect(summary(status.items)).toEqual([
      ["Failed", "Health check failed: P cannot render"],
      ["Pending", descheduler().message],
    ]);
    expect(conditionOf(status, "Failed")?.message).toBe(
      "Item 'enable-psi-metrics' failed: Health check failed: P cannot render",
    );
  });

  test("Continue: the rest is done", () => {
    const { status } = transition(running({ items: [renders, next], spec: { failurePolicy: "Continue" } }));
    expect(status.phase).toBe("InProgress");
    expect(status.items?.map(({ state }) => state)).toEqual(["Failed", "InProgress"]);
  });

  test("Continue: ends in CompletedWithErrors", () => {
    const items = [seenItem(failedItem(psi())), seenItem(doneItem(descheduler()), { drift: drift() })];
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

  test("a wait of exactly the timeout does not, and is looked at when it is over", () => {
    const { status, again } = transition(running({ items: [late(1790)], spec: { waitTimeout: "30m" } }));
    expect(status.phase).toBe("InProgress");
    expect(again).toEqual({ when: "at", atMs: now + 11_000 });
    expect(transition(running({ items: [late(1800)], spec: { waitTimeout: "30m" } })).status.phase).toBe("InProgress");
  });

  test("without a timeout nothing is ever late", () => {
    expect(transition(running({ items: [late(10_000_000)] })).status.phase).toBe("InProgress");
  });

  test("a degraded pool may heal", () => {
    const items = [seenItem(appliedItem(psi()), { rollout: health("degraded", "P is degraded") })];
    const { status } = transition(running({ items }));
    expect(summary(status.items)).toEqual([["InProgress", "P is degraded"]]);
  });
});
