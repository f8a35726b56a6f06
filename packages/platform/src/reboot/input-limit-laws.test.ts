// Tests the input limit over a day: at most one write in 6 hours reboots nodes because of an input, but users'
// decisions apply at once.

import { fieldManagers, type KubeObject } from "@virt/api";
import { fullBucket, noSchema } from "@virt/objects";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Asset } from "../asset.ts";
import { decideObject } from "../baseline/decide-object.ts";
import type { ObjectMemory, ObservedObject } from "../baseline/observe-object.ts";
import { readState } from "../baseline/state.ts";
import {
  type InputMemory,
  inputLimitMs,
  isHeldByInputLimit,
  limitInputWrite,
  noteInputs,
  settleInputs,
} from "./input-limit.ts";
import { nodeWriteOf } from "./node-write.ts";

const ref = { apiVersion: "machineconfiguration.openshift.io/v1", kind: "KubeletConfig", name: "virt-perf-settings" };
const kubelet = (maxPods: number): KubeObject => ({
  apiVersion: ref.apiVersion,
  kind: ref.kind,
  metadata: { name: ref.name },
  spec: { kubeletConfig: { maxPods } },
});
const start = 1_700_000_000_000;
const minute = 60_000;

/** Simulates one object and its operator without a server: an apply becomes the live object. */
class SimulatedObject {
  live: KubeObject | undefined;
  memory: ObjectMemory = { bucket: fullBucket, wasThere: false };
  inputs: InputMemory | undefined;
  writes: number[] = [];
  #version = 0;

  restart(): void {
    this.memory = { bucket: fullBucket, wasThere: false };
    this.inputs = undefined;
  }

  annotate(key: string, value: string): void {
    const live = this.live as KubeObject;
    const annotations = { ...live.metadata.annotations, [key]: value };
    this.live = { ...live, metadata: { ...live.metadata, annotations } };
  }

  reconcile(now: number, maxPods: number, { decisions = "", version = "1" } = {}): "written" | "held" | "nothing" {
    const { live, memory } = this;
    const [baseline, parts] = [kubelet(maxPods), [{ asset: "a", object: kubelet(maxPods) }]];
    const observed: ObservedObject = {
      now,
      monotonicMs: now,
      ref,
      baseline,
      parts,
      adoption: "whole",
      mayCreate: true,
      shapeOf: noSchema,
      defaultOf: () => undefined,
      isDeclared: () => false,
      live,
      governed: [],
      pruned: [],
      memory,
    };
    const inputs = noteInputs(this.inputs, { wanted: { baseline, parts }, decisions, version, live });
    const object = { ref, assets: [{ name: "a", impact: "reboot" } as Asset] };
    const decided = decideObject(observed);
    const write = nodeWriteOf(object, decided, { live, shapeOf: noSchema });
    const decision = limitInputWrite(decided, { write, inputs, now });
    this.inputs = decision.kind === "apply" || decision.kind === "in-sync" ? settleInputs(inputs) : inputs;
    if (isHeldByInputLimit(decision)) return "held";
    if (decision.kind !== "apply") return "nothing";
    this.#version += 1;
    this.live = applied(decision.apply.object, String(this.#version));
    this.memory = { bucket: decision.bucket, wasThere: true, answer: this.live, sent: decision.apply.intent };
    if (write === undefined) return "nothing";
    this.writes.push(now);
    return "written";
  }
}

function applied(object: KubeObject, resourceVersion: string): KubeObject {
  const fieldsV1 = {
    "f:metadata": { "f:labels": { "f:platform.kubevirt.io/managed-by": {} } },
    "f:spec": { "f:kubeletConfig": { "f:maxPods": {} } },
  };
  const managedFields = [{ manager: fieldManagers.platform, operation: "Apply", fieldsType: "FieldsV1", fieldsV1 }];
  return { ...object, metadata: { ...object.metadata, uid: "u", resourceVersion, managedFields } };
}

const anyStep = fc.record({
  afterMs: fc.integer({ min: 1, max: 120 * minute }),
  maxPods: fc.constantFrom(250, 500),
  isRestarted: fc.boolean(),
});

test("changing inputs never cause two rebooting writes within 6 hours", () => {
  const law = fc.property(fc.array(anyStep, { minLength: 10, maxLength: 60 }), (steps) => {
    const simulated = new SimulatedObject();
    simulated.reconcile(start, 500);
    simulated.writes = []; // the creation follows from the activation
    let now = start;
    for (const { afterMs, maxPods, isRestarted } of steps) {
      now += afterMs;
      if (isRestarted) simulated.restart();
      simulated.reconcile(now, maxPods);
    }
    for (const [at, time] of simulated.writes.entries())
      expect(time - (simulated.writes[at - 1] ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(inputLimitMs);
  });
  fc.assert(law);
});

const flipped = () => {
  const simulated = new SimulatedObject();
  simulated.reconcile(start, 500);
  expect(simulated.reconcile(start + minute, 250)).toBe("written");
  expect(simulated.reconcile(start + 2 * minute, 500)).toBe("held");
  return simulated;
};

test("applies a change on hold after 6 hours", () => {
  const simulated = flipped();
  expect(readState(simulated.live).inputWrite?.at).toBe(start + minute);
  expect(simulated.reconcile(start + minute + inputLimitMs - 1, 500)).toBe("held");
  expect(simulated.reconcile(start + minute + inputLimitMs, 500)).toBe("written");
});

test("a restart does not end a hold", () => {
  const simulated = flipped();
  simulated.restart();
  expect(simulated.reconcile(start + 3 * minute, 500)).toBe("held");
});

test("a reverted input ends the hold without a write", () => {
  const simulated = flipped();
  expect(simulated.reconcile(start + 3 * minute, 250)).toBe("nothing");
});

test("a decision that changes the content passes at once", () => {
  const simulated = flipped();
  expect(simulated.reconcile(start + 3 * minute, 400, { decisions: "decided" })).toBe("written");
});

test("a decision that keeps the content does not end the hold", () => {
  const simulated = flipped();
  expect(simulated.reconcile(start + 3 * minute, 500, { decisions: "about something else" })).toBe("held");
});

test("an override with a changed input passes at once", () => {
  const simulated = flipped();
  simulated.annotate("platform.kubevirt.io/adopt", "true");
  expect(simulated.reconcile(start + 3 * minute, 400)).toBe("written");
});

test("a decision made while the operator was down passes at once", () => {
  const simulated = flipped();
  simulated.restart();
  expect(simulated.reconcile(start + 3 * minute, 400, { decisions: "decided" })).toBe("written");
  simulated.restart();
  expect(simulated.reconcile(start + 4 * minute, 500, { decisions: "decided" })).toBe("held");
});

test("an upgrade passes at once, and the limit holds afterwards", () => {
  const simulated = flipped();
  simulated.restart();
  expect(simulated.reconcile(start + 3 * minute, 400, { version: "2" })).toBe("written");
  expect(simulated.reconcile(start + 4 * minute, 500, { version: "2" })).toBe("held");
  simulated.restart();
  expect(simulated.reconcile(start + 5 * minute, 500, { version: "2" })).toBe("held");
});

test("a stored time in the future does not hold the object", () => {
  const simulated = flipped();
  simulated.restart();
  expect(simulated.reconcile(start - 24 * 60 * minute, 500)).toBe("written");
});

test("corrects drift within the 6 hours", () => {
  const simulated = new SimulatedObject();
  simulated.reconcile(start, 500);
  simulated.reconcile(start + minute, 250);
  const spec = { kubeletConfig: { maxPods: 42 } };
  const live = simulated.live as KubeObject;
  simulated.live = { ...live, spec, metadata: { ...live.metadata, resourceVersion: "edited" } };
  expect(simulated.reconcile(start + 2 * minute, 250)).toBe("written");
});
