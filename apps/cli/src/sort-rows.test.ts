import { expect, test } from "vitest";
import { sortRows } from "./sort-rows.ts";

const rows = [{ name: "w-10", age: 3 }, { name: "w-9" }, { name: "W-1", age: 20 }];
const keys = { name: (row: { name: string }) => row.name, age: (row: { age?: number }) => row.age };
const sorted = (column?: string) => sortRows(rows, column, keys).map(({ name }) => name);

test("sorts by a column: numbers by value, missing values last", () => {
  expect(sorted()).toEqual(["w-10", "w-9", "W-1"]);
  expect(sorted("name")).toEqual(["W-1", "w-9", "w-10"]);
  expect(sorted("AGE")).toEqual(["w-10", "W-1", "w-9"]);
});

test("rejects an unknown column and lists the known ones", () => {
  expect(() => sorted("nam")).toThrow("--sort-by nam: must be one of name, age; did you mean name?");
  expect(() => sorted("constructor")).toThrow("must be one of name, age");
});
