import fc from "fast-check";
import { expect, test } from "vitest";
import { seededRandom, seededSuffix, seededUuid } from "./seeded-random.ts";

const words = fc.array(fc.string(), { maxLength: 4 });

test("the same seed and words give the same number, in [0, 1)", () => {
  const law = fc.property(fc.nat(), words, (seed, what) => {
    const drawn = seededRandom(seed, ...what);
    return drawn >= 0 && drawn < 1 && drawn === seededRandom(seed, ...what);
  });
  fc.assert(law);
});

test("adjacent seeds and words give evenly distributed numbers", () => {
  const tenths = Array.from({ length: 10 }, () => 0);
  for (let seed = 0; seed < 100; seed++)
    for (let index = 0; index < 100; index++) {
      const tenth = Math.floor(seededRandom(seed, "node", `${index}`) * 10);
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }
  expect(tenths.filter((count) => count < 900 || count > 1100)).toEqual([]);
});

test("the number depends on word boundaries and order", () => {
  expect(seededRandom(1, "a", "b")).not.toBe(seededRandom(1, "ab"));
  expect(seededRandom(1, "a", "b")).not.toBe(seededRandom(1, "b", "a"));
});

test("names and boot IDs have the form that the API server requires", () => {
  const law = fc.property(fc.nat(), words, (seed, what) => {
    const isName = /^[a-z0-9]{5}$/.test(seededSuffix(5, seed, ...what));
    return isName && /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/.test(seededUuid(seed, ...what));
  });
  fc.assert(law);
});
