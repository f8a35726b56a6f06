import { expect, test } from "vitest";
import { deschedulerItem, doneItem, drift, now, observedItem, psi, secondsAgo } from "../testing/observed-fixtures.ts";
import { correctDrift } from "./guard.ts";

const drifted = (item: ReturnType<typeof psi>, ago: readonly number[], managers = ["kubectl"]) =>
  observedItem({ ...doneItem(item), corrections: ago.map(secondsAgo) }, { drift: drift({ managers }) });
const decideCorrection = (...seen: readonly ReturnType<typeof drifted>[]) =>
  correctDrift(
    seen,
    seen.map(({ item }) => item),
    now,
  );

test("corrects an item even if another one is in an edit war", () => {
  const decision = decideCorrection(drifted(psi(), []), drifted(deschedulerItem(), [900, 700, 400]));
  expect(decision).toMatchObject({ kind: "correct", items: [{ state: "Pending" }, { state: "Completed" }] });
});

test("waits for the item that may be corrected first", () => {
  expect(decideCorrection(drifted(psi(), [10]), drifted(deschedulerItem(), [30]))).toEqual({
    kind: "wait",
    inMs: 30_000,
  });
});

test("an edit war names all managers, or an unknown one", () => {
  const text = (managers: readonly string[]) => {
    const decision = decideCorrection(drifted(deschedulerItem(), [900, 700, 400], [...managers]));
    return decision.kind === "fight" ? decision.text : "";
  };
  expect(text(["a", "b"])).toContain("within 30m0s by a, b: spec.mode");
  expect(text([])).toContain("by an unknown manager: spec.mode");
});

test("remembers three corrections", () => {
  const decision = decideCorrection(drifted(psi(), [4000, 3000, 2000]));
  expect(decision.kind === "correct" && decision.items[0]?.corrections).toEqual([3000, 2000, 0].map(secondsAgo));
});
