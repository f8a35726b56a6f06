import type { Item, Phase } from "@virt/api";
import { describe, expect, test } from "vitest";
import { compareUpgrade, plannedItems } from "./plan.ts";
import { type FactsOverrides, kernelObject, reconcileFacts, storedObject } from "./testing/facts-fixtures.ts";
import { doneItem, removal } from "./testing/observed-fixtures.ts";
import { mapTarget } from "./testing/small-profile.ts";

const settings = storedObject(mapTarget, { data: { size: "s-5" } });
const objects = [kernelObject(), settings];

const stored = plannedItems(reconcileFacts()).map((planned): Item => {
  const { name, target, managedFields, message } = planned;
  const desired = planned.operation === "Apply" ? { desiredState: planned.desired } : {};
  const plain = { name, targetRef: target, managedFields, message, operation: "Apply", impactSeverity: "Low" } as const;
  return { ...plain, ...desired, changes: true, diff: "", state: "Completed" };
});

const compareVersions = (
  items: readonly Item[],
  given: FactsOverrides = {},
  phase: Phase = "Completed",
  operatorVersion = "v1",
) => compareUpgrade(reconcileFacts({ objects, status: { phase, operatorVersion, items }, ...given }));

const [kernel, map] = stored as [Item, Item];

describe("9: the logic of two versions", () => {
  const other = (given: Partial<Item>): readonly Item[] => [kernel, { ...map, ...given }];
  const rows: readonly (readonly [string, readonly Item[], "same" | "aligned"])[] = [
    ["is the same", stored, "same"],
    [
      "is the same whatever is said about the items",
      other({ impactSeverity: "High", message: "m", diff: "d", warnings: ["w"] }),
      "same",
    ],
    ["is the same whatever was removed before", [...stored, doneItem(removal())], "same"],
    ["differs in number", [kernel], "aligned"],
    ["differs in a name", other({ name: "x" }), "aligned"],
    ["differs in a target", other({ targetRef: { ...mapTarget, name: "x" } }), "aligned"],
    ["differs in what is desired", other({ desiredState: { ...settings, data: { size: "x" } } }), "aligned"],
    ["differs in the managed fields", other({ managedFields: ["data.size"] }), "aligned"],
  ];
  test.each(rows)("%s", (_reason, items, result) => {
    expect(compareVersions(items)).toBe(result);
  });

  test("differs where the cluster is not as the new one would make it", () => {
    expect(compareVersions([kernel], { objects: [kernelObject()] })).toBe("differs");
  });

  test("differs by a removal that the new one plans", () => {
    const spec = { options: { small: { kernel: false } } };
    expect(compareVersions([map], { spec })).toBe("differs");
    expect(compareVersions([map], { spec, objects: [settings] })).toBe("same");
  });
});

test("9: versions are compared where a plan is completed, and was drafted by another one", () => {
  expect(compareVersions(stored, {}, "Completed", "v2")).toBeUndefined();
  expect(compareVersions(stored, {}, "Completed", "")).toBeUndefined();
  expect(compareVersions(stored, {}, "Drifted")).toBeUndefined();
  expect(compareVersions(stored, {}, "CompletedWithUpgrade")).toBe("same");
});
