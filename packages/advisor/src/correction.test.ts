import { expect, test } from "vitest";
import { correct } from "./correction.ts";
import { descheduler, doneItem, drift, now, psi, secondsAgo, seenItem } from "./observed-world.ts";

const drifted = (item: ReturnType<typeof psi>, ago: readonly number[], managers = ["kubectl"]) =>
  seenItem({ ...doneItem(item), corrections: ago.map(secondsAgo) }, { drift: drift({ managers }) });
const judge = (...seen: readonly ReturnType<typeof drifted>[]) =>
  correct(
    seen,
    seen.map(({ item }) => item),
    now,
  );

test("6.7: one item that may be corrected is, although another is fought over", () => {
  const verdict = judge(drifted(psi(), []), drifted(descheduler(), [900, 700, 400]));
  expect(verdict).toMatchObject({ kind: "correct", items: [{ state: "Pending" }, { state: "Completed" }] });
});

test("6.7: the one that may be corrected first decides when", () => {
  expect(judge(drifted(psi(), [10]), drifted(descheduler(), [30]))).toEqual({ kind: "wait", inMs: 30_000 });
});

test("6.7: a fight names everybody who changed the fields, or says that nobody is known", () => {
  const text = (managers: readonly string[]) => {
    const verdict = judge(drifted(descheduler(), [900, 700, 400], [...managers]));
    return verdict.kind === "fight" ? verdict.text : "";
  };
  expect(text(["a", "b"])).toContain("within 30m0s by a, b: spec.mode");
  expect(text([])).toContain("by an unknown manager: spec.mode");
});

test("6.7: three corrections are remembered", () => {
  const verdict = judge(drifted(psi(), [4000, 3000, 2000]));
  expect(verdict.kind === "correct" && verdict.items[0]?.corrections).toEqual([3000, 2000, 0].map(secondsAgo));
});
