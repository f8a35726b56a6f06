import { readdirSync, readFileSync } from "node:fs";
import { contentForms } from "@virt/api";
import { inRepository } from "@virt/testkit";
import { loadAll } from "js-yaml";
import { expect, test } from "vitest";
import { constantsByVersion, contentShapes } from "./content-shapes.ts";

const { fields, listOf, oneOf, optional, required } = contentForms;

const contentOf = (version: string, members: Parameters<typeof fields>[0]) => ({
  version,
  maps: [{ path: ["spec"], fields: members }],
});

test("contents that differ only in a constant share a shape, with the constant as data", () => {
  const shapes = contentShapes([
    contentOf("a", { kind: required(oneOf("x")), size: required(oneOf(1)) }),
    contentOf("b", { kind: required(oneOf("x")), size: required(oneOf(2)) }),
  ]);
  expect(shapes.map(({ varying }) => [...varying])).toEqual([["spec.size"]]);
  expect(constantsByVersion(shapes)).toContain("'a': {'spec.size': dyn(1)}");
  expect(constantsByVersion(shapes)).toContain("'b': {'spec.size': dyn(2)}");
});

test.each([
  { what: "another field", other: { kind: required(oneOf("x")), extra: required(oneOf(1)) } },
  { what: "another presence", other: { kind: optional(oneOf("x")) } },
  { what: "a choice of values", other: { kind: required(oneOf("x", "y")) } },
  { what: "a list", other: { kind: required(listOf([oneOf("x")], 0, 1)) } },
])("contents with $what do not share a shape", ({ other }) => {
  expect(contentShapes([contentOf("a", { kind: required(oneOf("x")) }), contentOf("b", other)])).toHaveLength(2);
});

// The API server limits all annotations of an object to 256 KiB, and `kubectl apply` stores the whole object in one.
const mostBytes = 200 * 1024;
/** The parser of CEL rejects longer expressions. */
const mostCharacters = 100_000;
const folder = inRepository("config", "admission");
type Shipped = { readonly spec: { readonly variables?: readonly { readonly expression: string }[] } };

test.each(["advisor", "platform"].flatMap((name) => readdirSync(`${folder}/${name}`).map((file) => `${name}/${file}`)))(
  "%s leaves room for more objects within the limits of kubectl apply and CEL",
  (file) => {
    const objects = loadAll(readFileSync(`${folder}/${file}`, "utf8")) as readonly Shipped[];
    for (const object of objects) {
      expect(Buffer.byteLength(JSON.stringify(object))).toBeLessThan(mostBytes);
      for (const { expression } of object.spec?.variables ?? []) expect(expression.length).toBeLessThan(mostCharacters);
    }
  },
);
