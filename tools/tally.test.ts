import { expect, test } from "vitest";
import { type TalliedTest, tallyText } from "./tally.ts";

const one = (state: string, ...tags: readonly string[]): TalliedTest => ({ name: `a.test.ts > ${state}`, state, tags });
const tests = [one("passed"), one("skipped"), one("skipped", "thorough"), one("skipped", "thorough")];

test("counts tests that a lane omits apart from skipped ones", () => {
  const text = tallyText(tests, { broken: 0, isLane: true });
  expect(text).toBe("2 tests run in make test-all only\n1 passed, 0 failed, 1 skipped\n");
});

test("counts every omitted test as skipped if all tests were requested", () => {
  expect(tallyText(tests, { broken: 0, isLane: false })).toBe("1 passed, 0 failed, 3 skipped\n");
});

test("lists failed tests, and counts failures outside tests", () => {
  const text = tallyText([one("passed"), one("failed")], { broken: 1, isLane: false });
  expect(text).toBe("failed: a.test.ts > failed\n1 passed, 2 failed\n");
});
