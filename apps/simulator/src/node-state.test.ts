import { advance, begin, type KubeObject, type RolloutNode } from "@virt/engine";
import fc from "fast-check";
import { expect, test } from "vitest";
import { desiredConfig } from "./marks.ts";
import { daemonFields, readNode } from "./node-state.ts";
import { merged } from "./rehearsal.ts";

const bare = (name: string): KubeObject => ({ apiVersion: "v1", kind: "Node", metadata: { name } });

function written(before: KubeObject, node: RolloutNode): KubeObject {
  const conditions = [{ type: "Ready", status: node.isReady ? "True" : "Unknown" }];
  const told = merged(before, { ...daemonFields(node), status: { conditions } });
  return merged(told, { metadata: { annotations: { [desiredConfig]: node.desired } } }) as KubeObject;
}

test("a node that has not joined is not there for the rollout", () => {
  expect(readNode(bare("new"))).toBeUndefined();
});

test("at each step of the rollout model, what is written into a node reads as that step", () => {
  const configs = fc.array(fc.constantFrom("rendered-a", "rendered-b", "rendered-c"), {
    minLength: 1,
    maxLength: 4,
    size: "max",
  });
  const law = fc.property(
    configs,
    fc.array(fc.boolean(), { minLength: 20, maxLength: 20, size: "max" }),
    (targets, cordons) => {
      let node: RolloutNode = {
        name: "n",
        current: "rendered-a",
        desired: "rendered-a",
        phase: "Updated",
        isReady: true,
        isCordoned: false,
      };
      let object = written(bare("n"), node);
      const pool = { name: "worker", isPaused: false };
      for (const wanted of targets) {
        if (wanted === node.current) continue;
        const steps = [begin(node, { ...pool, wanted })];
        while (steps.length < 5) steps.push(advance(steps.at(-1) ?? node));
        for (const step of steps) {
          node = step.phase === "Updated" ? { ...step, isCordoned: cordons[steps.indexOf(step)] ?? false } : step;
          object = written(object, node);
          expect(readNode(object)).toEqual(node);
        }
      }
    },
  );
  fc.assert(law, { numRuns: 20_000 });
});

test("a degraded node keeps how far it was, and says why", () => {
  const draining: RolloutNode = {
    name: "n",
    current: "a",
    desired: "b",
    phase: "Draining",
    isReady: true,
    isCordoned: true,
  };
  const object = written(written(bare("n"), draining), { ...draining, phase: "Degraded", reason: "disk is full" });
  expect(readNode(object)).toEqual({ ...draining, phase: "Degraded", reason: "disk is full" });
  expect(readNode(written(object, draining))).toEqual(draining);
});
