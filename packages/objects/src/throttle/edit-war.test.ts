import fc from "fast-check";
import { expect, test } from "vitest";
import { fieldPath } from "../fields/path.ts";
import {
  advisorRule,
  type Bucket,
  type BucketRate,
  decideEditWar,
  type EditWarRecord,
  type EditWarRule,
  editWarKey,
  fullBucket,
  isFull,
  platformRule,
  recordCorrection,
  takeToken,
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

const rate: BucketRate = { capacity: 10, refillMs: 6000 };

const takeMany = (count: number, bucket: Bucket, now: number): Bucket =>
  Array.from({ length: count }).reduce<Bucket>((left) => takeToken(left, rate, now).bucket, bucket);

test("grants ten at once, and the next when a token is back", () => {
  const empty = takeMany(10, fullBucket, 0);
  expect(takeToken(takeMany(9, fullBucket, 0), rate, 0)).toEqual({ granted: true, bucket: empty, retryInMs: 0 });
  expect(takeToken(empty, rate, 0)).toEqual({ granted: false, bucket: empty, retryInMs: 6000 });
  expect(takeToken(empty, rate, 5999).retryInMs).toBe(1);
  expect(takeToken(empty, rate, 6000).granted).toBe(true);
});

test("fills up to its capacity", () => {
  const empty = takeMany(10, fullBucket, 0);
  expect(isFull(empty, 59_999)).toBe(false);
  expect(isFull(empty, 60_000)).toBe(true);
  expect(takeToken(takeMany(10, empty, 1_000_000), rate, 1_000_000).granted).toBe(false);
});

test("a clock that is set back causes at most the longest wait", () => {
  expect(takeToken(takeMany(3, fullBucket, 1e12), rate, 0)).toMatchObject({ granted: false, retryInMs: 6000 });
});

const anyRate = fc.record({ capacity: fc.integer({ min: 1, max: 5 }), refillMs: fc.integer({ min: 1, max: 100 }) });
const pauses = fc.array(fc.oneof(fc.constant(0), fc.nat(300)), { maxLength: 25 });

test("grants at most the capacity plus refilled tokens in any window", () => {
  const law = fc.property(anyRate, pauses, (rate, pauses) => {
    const granted: number[] = [];
    let bucket = fullBucket;
    let now = 0;
    for (const pause of pauses) {
      now += pause;
      const taken = takeToken(bucket, rate, now);
      bucket = taken.bucket;
      if (taken.granted) granted.push(now);
    }
    return granted.every((from, first) =>
      granted.slice(first).every((to, count) => count + 1 <= rate.capacity + Math.floor((to - from) / rate.refillMs)),
    );
  });
  fc.assert(law);
});

test("grants a token exactly after the reported wait", () => {
  const law = fc.property(anyRate, pauses, (rate, pauses) => {
    let bucket = fullBucket;
    let now = 0;
    return pauses.every((pause) => {
      now += pause;
      const taken = takeToken(bucket, rate, now);
      bucket = taken.bucket;
      if (taken.granted) return taken.retryInMs === 0;
      const isLater = takeToken(bucket, rate, now + taken.retryInMs).granted;
      return isLater && taken.retryInMs > 0 && !takeToken(bucket, rate, now + taken.retryInMs - 1).granted;
    });
  });
  fc.assert(law);
});

test("grants several tokens when all are available", () => {
  const rate = { capacity: 3, refillMs: 10, tokens: 2 };
  const first = takeToken(fullBucket, rate, 0);
  expect(first.granted).toBe(true);
  expect(takeToken(first.bucket, rate, 0)).toMatchObject({ granted: false, retryInMs: 10 });
  expect(takeToken(first.bucket, rate, 10).granted).toBe(true);
});
