import { expect, test } from "vitest";
import { ambiguousNames, exportedNames, isProduct } from "./exported-names.ts";

const types = "export type Scene = { readonly a: 1 };\nexport async function* run() {}\nexport const { a } = b;\n";

test("finds exported types, functions, constants and classes", () => {
  const text =
    "export type A<T> = T;\nexport async function b() {}\nexport const c = 1;\nexport class D {}\nconst e = 2;\n";
  expect(exportedNames("x.ts", text).map(({ name }) => name)).toEqual(["A", "b", "c", "D"]);
});

test("a name in two files is ambiguous, except in profiles", () => {
  const all = [
    ...exportedNames("apps/one.ts", types),
    ...exportedNames("packages/two.ts", types),
    ...exportedNames("catalog/profiles/x/options.ts", "export const options = 1;"),
    ...exportedNames("catalog/profiles/y/options.ts", "export const options = 1;"),
  ];
  expect(ambiguousNames(all)).toContain("Scene: apps/one.ts, packages/two.ts");
  expect(ambiguousNames(all).some((line) => line.startsWith("options"))).toBe(false);
  const elsewhere = exportedNames("apps/options.ts", "export const options = 1;");
  expect(ambiguousNames([...all, ...elsewhere]).some((line) => line.startsWith("options"))).toBe(true);
});

test("tests and their support are not part of the product", () => {
  expect(["a/src/b.test.ts", "a/src/testing/b.ts", "packages/testkit/src/a.ts"].filter(isProduct)).toEqual([]);
  expect(isProduct("packages/kube/src/clock.ts")).toBe(true);
});
