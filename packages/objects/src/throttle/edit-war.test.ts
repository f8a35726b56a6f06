import fc from "fast-check";
import { expect, test } from "vitest";
import { fieldPath } from "../fields/path.ts";
import {
  advisorRule,
  decideEditWar,
  type EditWarRecord,
  type EditWarRule,
  editWarKey,
  platformRule,
  recordCorrection,
} from "./edit-war.ts";

const minute = 60_000;

// Simulates an opponent against a corrector that waits as required. Returns the times of the corrections and of the
// first fight.
function simulateFight(
  acts: readonly number[],
  rule: EditWarRule,
): { corrections: readonly number[]; stopped: number | undefined } {
  let fights: EditWarRecord = {};
  const corrections: number[] = [];
  for (const act of acts) {
    let now = Math.max(act, corrections.at(-1) ?? 0);
    let ruling = decideEditWar(fights, ["field"], { rule, now });
    if (ruling.kind === "wait") {
      now += ruling.inMs;
      ruling = decideEditWar(fights, ["field"], { rule, now });
    }
    if (ruling.kind === "fight") return { corrections, stopped: now };
    fights = recordCorrection(fights, ["field"], { rule, now });
    corrections.push(now);
  }
  return { corrections, stopped: undefined };
}

test("an immediate opponent gets five corrections with growing waits", () => {
  expect(simulateFight([0, 0, 0, 0, 0, 0, 0], platformRule).corrections).toEqual([0, 1000, 3000, 7000, 15_000]);
});

test("an opponent that writes every 12 minutes starts an edit war", () => {
  const acts = Array.from({ length: 8 }, (_, at) => at * 12 * minute);
  expect(simulateFight(acts, platformRule)).toEqual({ corrections: acts.slice(0, 5), stopped: 60 * minute });
});

test("an opponent that writes every 13 minutes is always corrected", () => {
  const acts = Array.from({ length: 20 }, (_, at) => at * 13 * minute);
  expect(simulateFight(acts, platformRule)).toEqual({ corrections: acts, stopped: undefined });
});

test("corrects a plan item three times, then stops", () => {
  expect(simulateFight([0, 0, 0, 0], advisorRule).corrections).toEqual([0, minute, 6 * minute]);
  expect(decideEditWar({ item: [0, minute, 6 * minute] }, ["item"], { rule: advisorRule, now: 30 * minute }).kind).toBe(
    "fight",
  );
  expect(
    decideEditWar({ item: [0, minute, 6 * minute] }, ["item"], { rule: advisorRule, now: 30 * minute + 1 }).kind,
  ).toBe("correct");
});

test("an edit war over one key stops the correction and reports it", () => {
  const fights: EditWarRecord = { a: [0, 1, 2, 3, 4], b: [9] };
  expect(decideEditWar(fights, ["b", "a"], { rule: platformRule, now: 10 })).toEqual({
    kind: "fight",
    key: "a",
    count: 5,
    overInMs: 60 * minute - 9,
  });
  expect(decideEditWar(fights, ["b"], { rule: platformRule, now: 10 })).toEqual({ kind: "wait", inMs: 999 });
  expect(decideEditWar(fights, ["c"], { rule: platformRule, now: 10 })).toEqual({ kind: "correct" });
});

test("an edit war is about one field and manager", () => {
  expect(editWarKey(fieldPath("spec", "a/b"), { manager: "kubectl", operation: "Update" })).toBe("/spec/a~1b|kubectl");
  expect(editWarKey(fieldPath("spec"), "unknown")).toBe("/spec|unknown");
});

test("a key can be __proto__", () => {
  const fights = recordCorrection({}, ["__proto__"], { rule: platformRule, now: 1 });
  expect(Object.keys(fights)).toEqual(["__proto__"]);
  expect(decideEditWar({}, ["constructor", "__proto__"], { rule: platformRule, now: 1 })).toEqual({ kind: "correct" });
});

test("forgets corrections outside the window", () => {
  expect(
    recordCorrection({ old: [0], both: [0, 30 * minute] }, ["new"], { rule: platformRule, now: 61 * minute }),
  ).toEqual({ both: [30 * minute], new: [61 * minute] });
});

test("a clock that is set back causes at most the longest wait", () => {
  expect(decideEditWar({ a: [1e12] }, ["a"], { rule: platformRule, now: 0 })).toEqual({ kind: "wait", inMs: 1000 });
});

const acts = fc.array(fc.oneof(fc.nat(1000), fc.nat(20 * minute)), { maxLength: 30 }).map((pauses) => {
  let now = 0;
  return pauses.map((pause) => (now += pause));
});

test.each([platformRule, advisorRule])(
  "no window has more corrections than the limit ($limit in $windowMs ms)",
  (rule) => {
    const law = fc.property(acts, (acts) => {
      const { corrections, stopped } = simulateFight(acts, rule);
      const inWindow = (from: number) =>
        corrections.filter((time) => time >= from && time - from <= rule.windowMs).length;
      const isBounded = corrections.every((from) => inWindow(from) <= rule.limit);
      const [shortest = 0] = rule.waitsMs;
      const isSpaced = corrections.every((time, at) => at === 0 || time - (corrections[at - 1] ?? 0) >= shortest);
      return (
        isBounded &&
        isSpaced &&
        (stopped === undefined ? corrections.length === acts.length : inWindow(stopped - rule.windowMs) === rule.limit)
      );
    });
    fc.assert(law);
  },
);

test("the record survives a restart", () => {
  const key = fc.constantFrom("/spec/a|x", "/spec/b|y");
  const law = fc.property(
    fc.dictionary(
      key,
      fc.array(fc.nat(2 * platformRule.windowMs), { maxLength: 6 }).map((times) => times.toSorted((a, b) => a - b)),
    ),
    fc.nat(3 * platformRule.windowMs),
    (fights, now) => {
      const options = { rule: platformRule, now };
      const restored = JSON.parse(JSON.stringify(recordCorrection(fights, [], options))) as EditWarRecord;
      const decisions = [fights, restored].map((each) =>
        JSON.stringify(decideEditWar(each, ["/spec/a|x", "/spec/b|y"], options)),
      );
      return decisions[0] === decisions[1];
    },
  );
  fc.assert(law);
});
