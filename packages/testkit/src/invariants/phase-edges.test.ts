import { expect, test } from "vitest";
import { isEdge, phases } from "./phase-edges.ts";

/** The allowed transitions of advisor.md 2.2, 2.4, and 6. */
const table: Readonly<Record<string, { readonly always: readonly string[]; readonly edit: readonly string[] }>> = {
  "": { always: ["Pending", "Drafting"], edit: [] },
  Pending: { always: ["Drafting"], edit: [] },
  Drafting: {
    always: ["PrerequisiteFailed", "ReviewRequired", "InProgress", "Completed", "Failed"],
    edit: ["Pending"],
  },
  PrerequisiteFailed: { always: ["Pending", "Drafting"], edit: [] },
  ReviewRequired: { always: ["Drafting", "PrerequisiteFailed", "InProgress", "Completed"], edit: ["Pending"] },
  InProgress: {
    always: ["Drafting", "PrerequisiteFailed", "Completed", "CompletedWithErrors", "Failed", "Drifted"],
    edit: ["Pending"],
  },
  Completed: { always: ["Drafting", "PrerequisiteFailed", "CompletedWithUpgrade", "Drifted"], edit: ["Pending"] },
  CompletedWithErrors: { always: ["Drafting", "PrerequisiteFailed", "Completed", "Drifted"], edit: ["Pending"] },
  CompletedWithUpgrade: { always: ["Drafting", "PrerequisiteFailed", "Completed", "Drifted"], edit: ["Pending"] },
  Failed: { always: [], edit: ["Pending", "Drafting"] },
  Drifted: {
    always: ["Drafting", "PrerequisiteFailed", "InProgress", "Completed", "CompletedWithErrors"],
    edit: ["Pending"],
  },
  Ignored: { always: ["Pending", "Drafting"], edit: [] },
};

test.each(Object.entries(table))('exactly these phases follow "%s"', (from, { always, edit }) => {
  const leading = (isEdited: boolean) =>
    phases.filter((to) => to !== from && isEdge({ from, to, action: "Apply", isEdited }));
  expect(leading(false).toSorted()).toEqual(always.toSorted());
  expect(leading(true).toSorted()).toEqual([...always, ...edit].toSorted());
});

test.each(["", ...phases])('Ignore leads from "%s" to Ignored only, and nothing else does', (from) => {
  const leading = (action: string) =>
    phases.filter((to) => to !== from && isEdge({ from, to, action, isEdited: true }));
  expect(leading("Ignore")).toEqual(from === "Ignored" ? [] : ["Ignored"]);
  expect(leading("DryRun")).not.toContain("Ignored");
});

test.each(phases)("%s may be stored again", (phase) => {
  const action = phase === "Ignored" ? "Ignore" : "Apply";
  expect(isEdge({ from: phase, to: phase, action, isEdited: false })).toBe(true);
});

test("an unknown phase leads to the start and is never entered", () => {
  expect(isEdge({ from: "Odd", to: "Pending", action: "Apply", isEdited: false })).toBe(true);
  expect(isEdge({ from: "Odd", to: "Completed", action: "Apply", isEdited: false })).toBe(false);
  expect(isEdge({ from: "Odd", to: "Odd", action: "Apply", isEdited: false })).toBe(false);
  expect(isEdge({ from: "Pending", to: "Odd", action: "Apply", isEdited: true })).toBe(false);
});
