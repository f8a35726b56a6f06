import { expect, test } from "vitest";
import { ReadRetries } from "./read-retries.ts";

test("the pause between failing reads grows until one succeeds", () => {
  const retries = new ReadRetries();
  const rests = [0, 1_000, 3_000, 7_000, 15_000].map((now) => {
    expect(retries.mayRead(now)).toBe(true);
    retries.note({ reason: "Listing", message: "" }, now);
    expect(retries.mayRead(now + 1)).toBe(false);
    return retries.dueAt - now;
  });
  expect(rests).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
  retries.note(undefined, 40_000);
  retries.note({ reason: "Listing", message: "" }, 50_000);
  expect(retries.dueAt).toBe(51_000);
});
