import type { JsonMap } from "@virt/api";
import { expect, test } from "vitest";
import { exampleObject, forgotten, observedOf, reconcileExample } from "../testing/reconciled-example.ts";
import { SmallCluster } from "../testing/small-cluster.ts";
import { decideObject } from "./decide-object.ts";
import { readState, writeState } from "./state.ts";

const second = 1000;
const now = 1_800_000_000_000;

function agreed(spec: JsonMap) {
  const cluster = new SmallCluster(exampleObject({ theirs: 1 }));
  const { memory } = reconcileExample(cluster, observedOf(spec));
  return { cluster, memory };
}

test("corrects, counts and reports drift by field and manager", () => {
  const { cluster, memory } = agreed({ a: 1, b: 1 });
  cluster.update("kubectl", [[["f:spec", "f:a"], 2]], now);
  const decision = decideObject(observedOf({ a: 1, b: 1 }, { live: cluster.live, memory, now }));
  if (decision.kind !== "apply") throw new Error(decision.kind);
  expect(decision.apply.cause).toBe("drift");
  expect(decision.apply.opponents).toEqual(['"kubectl" (Update)']);
  expect(readState(decision.apply.object).fights).toEqual({ "/spec/a|kubectl": [now] });
  const after = decideObject(observedOf({ a: 1, b: 1 }, { live: cluster.live, memory: forgotten, now }));
  expect(after.kind === "apply" && after.apply.cause).toBe("drift"); // a restart makes no difference
});

test("the last writer is the opponent of a removed field, if known", () => {
  const { cluster, memory } = agreed({ a: 1 });
  cluster.update("remover", [[["f:spec", "f:a"], undefined]], now);
  const unknown = decideObject(observedOf({ a: 1 }, { live: cluster.live, memory, now }));
  expect(unknown.kind === "apply" && unknown.apply.opponents).toEqual(["unknown"]);
  cluster.update("remover", [[["f:spec", "f:z"], 1]], now + second);
  const known = decideObject(observedOf({ a: 1 }, { live: cluster.live, memory, now }));
  expect(known.kind === "apply" && known.apply.opponents).toEqual(['"remover" (Update)']);
});

test("pauses at the sixth time and reports field and manager", () => {
  const { cluster, memory } = agreed({ a: 1 });
  const times = [50, 40, 30, 20, 10].map((minutes) => now - minutes * 60 * second);
  const state = writeState({ ...readState(cluster.live), fights: { "/spec/a|kubectl": times } });
  cluster.update(
    "kubectl",
    [
      [["f:metadata", "f:annotations", "f:platform.kubevirt.io/state"], state],
      [["f:spec", "f:a"], 2],
    ],
    now,
  );
  const decision = decideObject(observedOf({ a: 1 }, { live: cluster.live, memory, now }));
  if (decision.kind !== "pause") throw new Error(decision.kind);
  expect(decision.paused).toEqual({ field: "/spec/a", by: '"kubectl" (Update)', count: 5, at: "2027-01-15T08:00:00Z" });
  expect(JSON.parse(decision.state)).toMatchObject({ paused: { field: "/spec/a", count: 5 } });
});

test("waits a second before the second correction of a field", () => {
  const { cluster, memory } = agreed({ a: 1 });
  cluster.update("kubectl", [[["f:spec", "f:a"], 2]], now);
  const first = reconcileExample(cluster, observedOf({ a: 1 }, { memory, now }));
  cluster.update("kubectl", [[["f:spec", "f:a"], 2]], now);
  expect(decideObject(observedOf({ a: 1 }, { live: cluster.live, memory: first.memory, now: now + 1 }))).toMatchObject({
    kind: "wait",
    why: "fight",
    inMs: 999,
  });
  expect(
    decideObject(observedOf({ a: 1 }, { live: cluster.live, memory: first.memory, now: now + second })),
  ).toMatchObject({ kind: "apply", apply: { cause: "drift" } });
});

test("removing our state does not reset the count", () => {
  const { cluster, memory } = agreed({ a: 1 });
  cluster.update("kubectl", [[["f:spec", "f:a"], undefined]], now);
  const first = reconcileExample(cluster, observedOf({ a: 1 }, { memory, now }));
  cluster.update(
    "kubectl",
    [
      [["f:spec", "f:a"], undefined],
      [["f:metadata", "f:annotations"], undefined],
    ],
    now,
  );
  expect(decideObject(observedOf({ a: 1 }, { live: cluster.live, memory: first.memory, now: now + 1 }))).toMatchObject({
    kind: "wait",
    why: "fight",
    inMs: 999,
  });
});

test("removing the pause ends the war with one correction", () => {
  const { cluster, memory } = agreed({ a: 1 });
  const paused = { field: "/spec/a", by: "x", count: 5, at: "2026-01-01T00:00:00Z" };
  const state = writeState({
    ...readState(cluster.live),
    fights: { "/spec/a|kubectl": [now, now, now, now, now] },
    paused,
  });
  cluster.update(
    "kubectl",
    [
      [["f:metadata", "f:annotations", "f:platform.kubevirt.io/state"], state],
      [["f:spec", "f:a"], 2],
    ],
    now,
  );
  const decision = decideObject(observedOf({ a: 1 }, { live: cluster.live, memory, now }));
  if (decision.kind !== "apply") throw new Error(decision.kind);
  expect(readState(decision.apply.object)).toMatchObject({ paused: undefined, fights: { "/spec/a|kubectl": [now] } });
});
