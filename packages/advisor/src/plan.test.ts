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

describe("the logic of two versions", () => {
  const other = (given: Partial<Item>): readonly Item[] => [kernel, { ...map, ...given }];
  const rows: readonly (readonly [string, readonly Item[], "same" | "aligned"])[] = [
    ["is the same for equal items", stored, "same"],
    [
      "is the same if only texts and impact differ",
      other({ impactSeverity: "High", message: "m", diff: "d", warnings: ["w"] }),
      "same",
    ],
    ["is the same regardless of earlier removals", [...stored, doneItem(removal())], "same"],
    ["differs by the number of items", [kernel], "aligned"],
    ["differs by a name", other({ name: "x" }), "aligned"],
    ["differs by a target", other({ targetRef: { ...mapTarget, name: "x" } }), "aligned"],
    ["differs by desired state", other({ desiredState: { ...settings, data: { size: "x" } } }), "aligned"],
    ["differs by managed fields", other({ managedFields: ["data.size"] }), "aligned"],
  ];
  test.each(rows)("%s", (_reason, items, result) => {
    expect(compareVersions(items)).toBe(result);
  });

  test("differs if the cluster lacks what the new version plans", () => {
    expect(compareVersions([kernel], { objects: [kernelObject()] })).toBe("differs");
  });

  test("differs by a removal that the new version plans", () => {
    const spec = { options: { small: { kernel: false } } };
    expect(compareVersions([map], { spec })).toBe("differs");
    expect(compareVersions([map], { spec, objects: [settings] })).toBe("same");
  });
});

test("compares versions only for a completed plan of another version", () => {
  expect(compareVersions(stored, {}, "Completed", "v2")).toBeUndefined();
  expect(compareVersions(stored, {}, "Completed", "")).toBeUndefined();
  expect(compareVersions(stored, {}, "Drifted")).toBeUndefined();
  expect(compareVersions(stored, {}, "CompletedWithUpgrade")).toBe("same");
});
