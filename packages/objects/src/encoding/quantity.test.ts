import { expect, test } from "vitest";
import { readBytes } from "./api-scalars.ts";

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
