import { assets } from "@virt/catalog";
import { expect, test } from "vitest";
import { valueTable } from "./value-table.ts";

test.each(assets)("$name declares a reason for exactly the values that it writes", (asset) => {
  const lines = valueTable(asset).filter((line) => line.startsWith("| `"));
  expect(lines.length).toBeGreaterThan(0);
  const unused = Object.entries(asset.values ?? {}).filter(
    ([, { reason }]) => !lines.some((line) => line.includes(reason)),
  );
  expect(unused.map(([field]) => field)).toEqual([]);
});

test("the generator reports a value without a reason by its field", () => {
  const [asset] = assets.filter(({ name }) => name === "mtv-operator");
  if (asset === undefined) throw new Error("the catalog has no mtv-operator");
  expect(() => valueTable({ ...asset, values: {} })).toThrow(
    "asset mtv-operator writes spec.feature_ui_plugin and does not declare why: add it to its values",
  );
});
