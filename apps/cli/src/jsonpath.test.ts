import { expect, test } from "vitest";
import { fillJsonPath } from "./jsonpath.ts";

const document = {
  items: [
    { name: "a", count: 1, labels: { "x.y/z": "1" } },
    { name: "b", count: 2, on: true },
  ],
};

test.each([
  ["{.items[*].name}", "a b"],
  ["{.items[0].name}", "a"],
  ["{.items[-1].name}", "b"],
  ["{$.items[1].on}", "true"],
  ["{.items[0].labels}", '{"x.y/z":"1"}'],
  ["{.items[0].labels['x.y/z']}", "1"],
  ["{.items[0].labels.x\\.y/z}", "1"],
  ["{.items[*].missing}", ""],
  ["{.items.name}", ""],
  ['{range .items[*]}{.name}{"\\t"}{.count}{"\\n"}{end}', "a\t1\nb\t2\n"],
  ["first: {.items[0].name}, last: {.items[1].name}", "first: a, last: b"],
  ["{.constructor}", ""],
])("evaluates %s like kubectl", (template, text) => {
  expect(fillJsonPath(template, document)).toBe(text);
});

test.each([
  "{.items",
  "{.items}}",
  "{range .items[*]}",
  "{end}",
  "{..name}",
  "{.items[?(@.on)]}",
  "{.items[0:1]}",
  "{name}",
])("rejects %s and shows an example", (template) => {
  expect(() => fillJsonPath(template, document)).toThrow("Example: -o jsonpath='{.items[*].name}'");
});
