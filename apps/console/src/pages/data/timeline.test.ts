import type { KubeObject, VirtPlatformConfig } from "@virt/api";
import { expect, test } from "vitest";
import { timelineOf } from "./timeline.ts";

const second = (count: number) => `2026-01-01T00:00:0${count}Z`;
const config = {
  apiVersion: "advisor.kubevirt.io/v1alpha1",
  kind: "VirtPlatformConfig",
  metadata: { name: "a" },
  spec: {},
  status: {
    conditions: [
      { type: "InProgress", status: "True", reason: "r", message: "at work", lastTransitionTime: second(1) },
      { type: "ReviewRequired", status: "False", reason: "r", message: "", lastTransitionTime: second(1) },
      { type: "Ready", status: "True", reason: "r", message: "", lastTransitionTime: second(9) },
    ],
    items: [
      { name: "first", state: "Failed", message: "m", lastTransitionTime: second(3) },
      { name: "second", state: "Pending", message: "m", lastTransitionTime: second(5) },
    ],
    rollout: { nodes: [{ name: "worker-0", pool: "worker", phase: "Draining", since: second(2) }] },
  },
} as unknown as VirtPlatformConfig;

const event = (name: string, of: string, eventTime: string): KubeObject => ({
  apiVersion: "events.k8s.io/v1",
  kind: "Event",
  metadata: { name, namespace: "default" },
  regarding: { kind: "VirtPlatformConfig", name: of },
  reason: "PlanApproved",
  note: "n",
  type: "Normal",
  eventTime,
});

test("merges the config's phase, items, nodes and events, newest first", () => {
  const events = [event("own", "a", "2026-01-01T00:00:02.500000Z"), event("other", "b", "2026-01-01T00:00:04.000000Z")];
  expect(timelineOf(config, events).map(({ kind, word, isWarning }) => `${kind} ${word} ${isWarning}`)).toEqual([
    "item Failed true",
    "event PlanApproved false",
    "node Draining false",
    "phase InProgress false",
  ]);
});
