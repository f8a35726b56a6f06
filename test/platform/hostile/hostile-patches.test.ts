import type { KubeObject } from "@virt/api";
import { applyPatch } from "@virt/objects";
import { expect, test } from "vitest";
import { hostilePatches } from "./index.ts";

const things: readonly { readonly reason: string; readonly field: string; readonly object: KubeObject }[] = [
  {
    reason: "a cluster-wide object with one field",
    field: "/spec/minHealthy",
    object: { apiVersion: "a.io/v1", kind: "Check", metadata: { name: "check" }, spec: { minHealthy: "51%" } },
  },
  {
    reason: "an object in a namespace, with lists and labels",
    field: "/spec/units/0/name",
    object: {
      apiVersion: "a.io/v1",
      kind: "Config",
      metadata: {
        name: "config",
        namespace: "here",
        labels: { "platform.kubevirt.io/managed-by": "us", role: "worker" },
      },
      spec: { units: [{ name: "swap.service", contents: "[Unit]" }], config: { ignition: { version: "3.4.0" } } },
    },
  },
];

test.each(things)("refuses every hostile patch for the expected reason: $reason", ({ field, object }) => {
  const before = JSON.stringify(object);
  const patches = hostilePatches(field);
  expect(patches.length).toBeGreaterThanOrEqual(500);
  const wrong = patches.flatMap(({ tries, text, refusal }) => {
    const patched = applyPatch(object, text);
    const answer = patched.kind === "refused" ? patched.reason : "accepted";
    return refusal.test(answer) ? [] : [`${tries}: ${text.slice(0, 200)}: ${answer}`];
  });
  expect(wrong).toEqual([]);
  expect(JSON.stringify(object)).toBe(before);
  expect("polluted" in {} || "polluted" in []).toBe(false);
});

test("every refusal reason fits into an event", () => {
  const [thing] = things;
  if (thing === undefined) throw new Error("there is nothing to patch");
  const reasons = hostilePatches(thing.field).map(({ text }) => applyPatch(thing.object, text));
  const longest = Math.max(...reasons.map((each) => (each.kind === "refused" ? each.reason.length : 0)));
  expect(longest).toBeLessThanOrEqual(1_200);
});
