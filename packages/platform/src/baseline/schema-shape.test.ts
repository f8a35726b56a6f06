import { fieldPath } from "@virt/objects";
import { expect, test } from "vitest";
import { builtInShape, declaredIn, defaultFrom, shapeFrom } from "./schema.ts";

const schema = {
  properties: {
    spec: {
      properties: {
        keyed: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["id", "kind"],
          items: { properties: { inner: { "x-kubernetes-list-type": "set" }, size: { type: "integer", default: 3 } } },
        },
        whole: { "x-kubernetes-map-type": "atomic" },
        list: { "x-kubernetes-list-type": "atomic" },
        plain: { type: "array" },
        limit: { type: "integer", default: 5 },
        byName: { additionalProperties: { properties: { flag: { type: "boolean", default: false } } } },
      },
    },
  },
};

const shapes: readonly { names: string; shape: unknown }[] = [
  { names: "spec.keyed", shape: { kind: "map", keys: ["id", "kind"] } },
  { names: "spec.keyed.[].inner", shape: { kind: "set" } },
  { names: "spec.whole", shape: { kind: "atomic" } },
  { names: "spec.list", shape: { kind: "atomic" } },
  { names: "spec.plain", shape: undefined },
  { names: "spec.none.deep", shape: undefined },
  { names: "constructor", shape: undefined },
];

test.each(shapes)("reads the merge strategy of $names", ({ names, shape }) => {
  expect(shapeFrom(schema)(names.split("."))).toEqual(shape);
});

test("finds defaults through maps and lists", () => {
  const find = defaultFrom(schema);
  expect(find(fieldPath("spec", "limit"))).toBe(5);
  expect(find(fieldPath("spec", "byName", "any", "flag"))).toBe(false);
  expect(find(["f:spec", "f:keyed", 'k:{"id":"x"}', "f:size"])).toBe(3);
  expect(find(fieldPath("spec", "none"))).toBeUndefined();
});

test("a Service merges like in the API server", () => {
  expect(builtInShape("Service")(["spec", "ports"])).toEqual({ kind: "map", keys: ["port", "protocol"] });
  expect(builtInShape("Service")(["spec", "selector"])).toEqual({ kind: "atomic" });
  expect(builtInShape("Unicorn")(["spec", "ports"])).toBeUndefined();
});

test("declared fields are known by name and through lists, not open maps", () => {
  const items = { type: "object", properties: { port: { type: "integer" } } };
  const ports = { type: "array", items };
  const free = { type: "object", additionalProperties: { type: "string" } };
  const isDeclared = declaredIn({ properties: { spec: { properties: { ports, free } } } });
  const found = (pointer: string) => isDeclared(pointer.slice(1).split("/"));
  expect(["/spec", "/spec/ports", "/spec/ports/0/port", "/spec/free"].map(found)).toEqual([true, true, true, true]);
  expect(["/spec/port", "/spec/ports/0/prot", "/spec/free/key", "/spec/ports/0/port/x"].map(found)).toEqual([
    false,
    false,
    false,
    false,
  ]);
  expect(declaredIn(undefined)(["spec"])).toBe(false);
});
