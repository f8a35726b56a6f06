import fc from "fast-check";
import { expect, test } from "vitest";
import { readBytes, readTime, writeTime } from "./api-scalars.ts";

const instant = fc.integer({ min: Date.parse("0000-01-01T00:00:00Z"), max: Date.parse("9999-12-31T23:59:59.999Z") });

test("writes and reads any time like Date", () => {
  const law = fc.property(instant, (ms) => {
    const text = new Date(ms).toISOString();
    return writeTime(ms) === text.replace(".000Z", "Z") && readTime(text) === ms && readTime(writeTime(ms)) === ms;
  });
  fc.assert(law);
});

test("reads any date like Date, and rejects invalid ones", () => {
  const part = (min: number, max: number) => fc.integer({ min, max }).map((each) => String(each).padStart(2, "0"));
  const parts = fc.tuple(
    fc.constantFrom("1900", "2000", "2023", "2024"),
    part(0, 13),
    part(0, 32),
    part(0, 24),
    part(0, 60),
    fc.constantFrom("Z", "+01:30", "-23:59"),
  );
  const law = fc.property(parts, ([year, month, day, hour, minute, zone]) => {
    const text = `${year}-${month}-${day}T${hour}:${minute}:59${zone}`;
    const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
    // `Date` accepts 30 February as 1 March and 24:00:00 as the next day.
    const isDate = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(`${year}-${month}-${day}`);
    return readTime(text) === (isDate && hour !== "24" && minute !== "60" ? Date.parse(text) : undefined);
  });
  fc.assert(law);
});

test("reads the six digits of a MicroTime", () => {
  expect(readTime("2025-12-18T21:13:17.123456Z")).toBe(Date.parse("2025-12-18T21:13:17.123Z"));
});

test("rejects other texts", () => {
  for (const text of [
    "",
    "2025-12-18",
    "2025-12-18T21:13Z",
    "2025-12-18T21:13:17",
    "x2025-12-18T21:13:17Z",
    "12025-12-18T21:13:17Z",
  ]) {
    expect(readTime(text)).toBeUndefined();
  }
});

test.each([
  ["128Gi", 128 * 2 ** 30],
  ["131486020Ki", 131_486_020 * 1024],
  ["1.5Gi", 1.5 * 2 ** 30],
  ["2G", 2e9],
  ["2k", 2000],
  ["68719476736", 68_719_476_736],
  ["8e9", 8e9],
  ["1E3", 1000],
  [".5Gi", 2 ** 29],
  ["0.5Gi", 2 ** 29],
  ["8589934592000m", 2 ** 33],
  ["-1Gi", undefined],
  ["1e999", undefined],
  ["", undefined],
  ["many", undefined],
  ["1Zi", undefined],
])("reads %s", (text, bytes) => {
  expect(readBytes(text)).toBe(bytes);
});

test("reads a number as bytes, and rejects other types", () => {
  expect([readBytes(8_589_934_592), readBytes(0)]).toEqual([2 ** 33, 0]);
  expect([-5, null, true, {}, [], undefined].map((value) => readBytes(value))).toEqual(Array(6).fill(undefined));
});
