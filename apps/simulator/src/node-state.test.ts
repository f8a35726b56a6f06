import { advanceRollout, type RolloutNode } from "@virt/impact";
import { type KubeObject } from "@virt/objects";
import fc from "fast-check";
import { expect, test } from "vitest";
import { daemonFields, desiredConfig, hasJoined, isDrainAsked, readNode, uncordonFields } from "./node-state.ts";
import { mergePatch } from "./testing/in-memory-simulation.ts";

const bare = (name: string): KubeObject => ({ apiVersion: "v1", kind: "Node", metadata: { name } });

function written(before: KubeObject, node: RolloutNode): KubeObject {
  const conditions = [{ type: "Ready", status: node.isReady ? "True" : "Unknown" }];
  const patched = mergePatch(before, { ...daemonFields(node), status: { conditions } });
  return mergePatch(patched, { metadata: { annotations: { [desiredConfig]: node.desired } } }) as KubeObject;
}

/** Returns the node after the operator has uncordoned it. Another client may have cordoned it again. */
function takenBack(object: KubeObject, isCordoned: boolean): KubeObject {
  const uncordoned = mergePatch(object, uncordonFields(object));
  return mergePatch(uncordoned, { spec: { unschedulable: isCordoned || null } }) as KubeObject;
}

test("a node that has not joined runs no configuration and is not ready", () => {
  expect(hasJoined(bare("new"))).toBe(false);
  expect(readNode(bare("new"))).toMatchObject({ current: "", desired: "", isReady: false });
});

test("reads every step of an update back as it was written", () => {
  const configs = fc.array(fc.constantFrom("rendered-a", "rendered-b", "rendered-c"), {
    minLength: 1,
    maxLength: 4,
    size: "max",
  });
  const anyUpdate = fc.record({
    disruption: fc.constantFrom("Reboot" as const, "Drain" as const, "Reload" as const, "None" as const),
    isDrained: fc.boolean(),
  });
  const law = fc.property(
    configs,
    anyUpdate,
    fc.array(fc.boolean(), { minLength: 4, maxLength: 4, size: "max" }),
    (targets, update, cordons) => {
      let node: RolloutNode = {
        name: "n",
        current: "rendered-a",
        desired: "rendered-a",
        phase: "Updated",
        isReady: true,
        isCordoned: false,
      };
      let object = takenBack(written(bare("n"), node), false);
      for (const [index, wanted] of targets.entries()) {
        if (wanted === node.current) continue;
        node = { ...node, desired: wanted };
        do {
          node = advanceRollout(node, update);
          object = written(object, node);
          const isAtWork = node.phase !== "Updated"; // a finished node waits for the operator
          expect(isAtWork ? readNode(object) : node).toEqual(node);
        } while (node.phase !== "Updated");
        expect(isDrainAsked(object)).toBe(true);
        object = takenBack(object, false);
        expect(readNode(object)).toEqual(node);
        expect(isDrainAsked(object)).toBe(false);
        const isCordoned = cordons[index] ?? false;
        expect(readNode(takenBack(object, isCordoned))).toEqual({ ...node, isCordoned });
      }
    },
  );
  fc.assert(law);
});

test("a degraded node keeps its progress and shows its reason", () => {
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
