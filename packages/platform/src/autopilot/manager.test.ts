import type { KubeObject } from "@virt/api";
import { expect, test } from "vitest";
import { decideObject } from "../baseline/decide-object.ts";
import type { ObservedObject } from "../baseline/observe-object.ts";
import { exampleObject, observedOf, reconcileExample, withAnnotations } from "../testing/reconciled-example.ts";
import { SmallCluster } from "../testing/small-cluster.ts";

const autopilot = "virt-platform-autopilot";
const ours = "virt-platform-operator";
const now = 1_800_000_000_000;
const label = (value: string) => ({ "platform.kubevirt.io/managed-by": value });

/** An object that we applied and the autopilot then took over. `said`: annotations of a user. */
function takenOver(said: Parameters<typeof withAnnotations>[0] = {}): KubeObject {
  const cluster = new SmallCluster(exampleObject({}, withAnnotations(said)));
  reconcileExample(cluster, observedOf({ a: 1, b: 1 }));
  cluster.apply(autopilot, exampleObject({ a: 2 }, { labels: label(autopilot) }), now);
  return cluster.live;
}

const decisionFor = (live: KubeObject, seen: Partial<ObservedObject>) =>
  decideObject(observedOf({ a: 1, b: 1 }, { live, ...seen }));

test.each<[string, Partial<ObservedObject>, Parameters<typeof withAnnotations>[0], string]>([
  ["an object that a quiet autopilot labelled is not ours, although we own fields", {}, {}, "managed-by-other"],
  ["a user can adopt it", {}, { adopt: "true" }, "apply"],
  ["a governor without mode=unmanaged does not", {}, { governor: ours }, "managed-by-other"],
  ["a governor with mode=unmanaged takes it over", {}, { mode: "unmanaged", governor: ours }, "apply"],
  [
    "a governor takes it over from an active autopilot",
    { isAutopilotActive: true },
    { mode: "unmanaged", governor: ours },
    "apply",
  ],
  ["an unmanaged object stays unmanaged", {}, { mode: "unmanaged" }, "managed-by-other"],
  [
    "another governor puts the object on hold",
    { isAutopilotActive: true, adoption: "fieldwise" },
    { governor: autopilot },
    "held",
  ],
])("%s", (_promise, seen, said, kind) => {
  expect(decisionFor(takenOver(said), seen).kind).toBe(kind);
});

test("of a shared object, only fields that the active autopilot does not own are applied", () => {
  const shared = { live: takenOver(), adoption: "fieldwise", isAutopilotActive: true } as const;
  const decision = decideObject(observedOf({ a: 1, b: 2 }, shared));
  if (decision.kind !== "apply") throw new Error(decision.kind);
  const { intent, handOver } = decision.apply;
  expect([intent["spec"], intent.metadata.labels, handOver]).toEqual([{ b: 2 }, undefined, []]);
});

test("the HyperConverged never gets our label next to an active autopilot", () => {
  const live = { ...exampleObject({ a: 1 }), kind: "HyperConverged" };
  const ref = { apiVersion: "v1", kind: "HyperConverged", name: "thing" };
  const labelsFor = (isAutopilotActive: boolean) => {
    const decision = decisionFor(live, { ref, adoption: "fieldwise", isAutopilotActive });
    return decision.kind === "apply" ? decision.apply.object.metadata.labels : undefined;
  };
  expect([labelsFor(true), labelsFor(false)]).toEqual([undefined, label(ours)]);
});

test("giving up fields that the autopilot also owns is not worth a write", () => {
  const cluster = new SmallCluster(exampleObject({}));
  const shared = { adoption: "fieldwise", isAutopilotActive: true } as const;
  const { memory } = reconcileExample(cluster, observedOf({ a: 1, b: 1 }, { adoption: "fieldwise" }));
  cluster.apply(autopilot, exampleObject({ a: 1 }, { labels: label(autopilot) }), now);
  const next = reconcileExample(cluster, observedOf({ a: 1, b: 1 }, { ...shared, memory }));
  expect(next.isWritten).toBe(false);
});

test("the first apply without our label is due even if all values are already there", () => {
  const cluster = new SmallCluster(exampleObject({ b: 1 }));
  cluster.apply(autopilot, exampleObject({ a: 2 }, { labels: label(autopilot) }), now);
  const seen = { adoption: "fieldwise", isAutopilotActive: true } as const;
  const first = reconcileExample(cluster, observedOf({ b: 1 }, seen));
  const second = reconcileExample(cluster, observedOf({ b: 1 }, { ...seen, memory: first.memory }));
  expect([first.isWritten, second.isWritten]).toEqual([true, false]);
});
