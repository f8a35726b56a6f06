import fc from "fast-check";
import { expect, test } from "vitest";
import { backoffMs } from "./work-queue.ts";

test("the back-off doubles from 5 milliseconds to 30 seconds", () => {
  const rests = [1, 2, 3, 4, 12, 13, 14, 40, 2_000].map((failures) => backoffMs(failures, 0.5));
  expect(rests).toEqual([5, 10, 20, 40, 10_240, 20_480, 30_000, 30_000, 30_000]);
});

test("jitter changes the back-off by at most a fifth, up to 30 seconds", () => {
  const law = fc.property(
    fc.integer({ min: 1, max: 100 }),
    fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    (failures, chance) => {
      const [rest, planned] = [backoffMs(failures, chance), backoffMs(failures, 0.5)];
      return rest >= planned * 0.8 - 1e-6 && rest <= planned * 1.2 && rest <= 30_000;
    },
  );
  fc.assert(law);
});
