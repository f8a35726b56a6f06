import fc from "fast-check";
import { expect, test } from "vitest";
import type { Json } from "../json/json.ts";
import {
  type FieldSet,
  fieldSet,
  hasField,
  isNoFields,
  leavesOf,
  pathsOf,
  readFieldsV1,
  subtractFields,
  touchesField,
  uniteFields,
} from "./field-set.ts";
import { fieldPath, type Path, writePath } from "./path.ts";

// As kube-apiserver writes a keyed list, a set, and an atomic list.
const fieldsV1: Json = {
  "f:metadata": { "f:labels": { ".": {}, "f:app": {} }, "f:finalizers": { ".": {}, 'v:"a/b"': {} } },
  "f:spec": {
    "f:args": {},
    "f:ports": { 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:port": {} } },
    "i:0": {},
  },
};

test("reads managed fields with their pointers", () => {
  expect(pathsOf(readFieldsV1(fieldsV1)).map(writePath)).toEqual([
    "/metadata/labels",
    "/metadata/labels/app",
    "/metadata/finalizers",
    "/metadata/finalizers/=a~1b",
    "/spec/args",
    "/spec/ports/port=80,protocol=TCP",
    "/spec/ports/port=80,protocol=TCP/port",
    "/spec/0",
  ]);
});

test("leaves are the fields that are owned as a whole", () => {
  const leaves = [
    "/metadata/labels/app",
    "/metadata/finalizers/=a~1b",
    "/spec/args",
    "/spec/ports/port=80,protocol=TCP/port",
    "/spec/0",
  ];
  expect(leavesOf(readFieldsV1(fieldsV1)).map(writePath)).toEqual(leaves);
});

test("keys are equal in any order and spelling", () => {
  const spelled = readFieldsV1({ "f:l": { 'k:{ "b": 1, "a": "\\u0078" }': {} } });
  expect(hasField(spelled, ["f:l", 'k:{"a":"x","b":1}'])).toBe(true);
});

test("omits entries that are not fields", () => {
  for (const fields of [undefined, null, "f:spec", ["f:spec"], {}]) expect(isNoFields(readFieldsV1(fields))).toBe(true);
  expect(
    pathsOf(readFieldsV1({ "x:a": {}, "k:{": {}, "v:": {}, "i:-1": {}, "f:": {}, f: {}, "f:__proto__": {} })),
  ).toEqual([["f:"], ["f:__proto__"]]);
});

test("owns the whole field if a part is unreadable", () => {
  // Node 24 may misread 'k:{"n":1}' like this: https://github.com/nodejs/node/issues/63785
  const garbled: Json = { "f:spec": { "f:a": {}, "f:list": { 'k:{\\"n\\"': { "f:n": {} } } } };
  expect(pathsOf(readFieldsV1(garbled)).map(writePath)).toEqual(["/spec/a", "/spec/list"]);
});

test("stops at the depth limit", () => {
  let fields: Json = {};
  for (let depth = 0; depth < 5000; depth++) fields = { "f:a": fields };
  expect(leavesOf(readFieldsV1(fields))).toHaveLength(1);
});

test("owners of a field, its parent or its part touch it", () => {
  const set = fieldSet([fieldPath("a", "b")]);
  expect(["a", "a.b", "a.b.c", "a.c", "b"].map((path) => touchesField(set, fieldPath(...path.split("."))))).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});

const element = fc.constantFrom("f:a", "f:b", 'k:{"n":1}', 'v:"x"');
const anyPath = fc.array(element, { minLength: 1, maxLength: 3 });
const anyPaths = fc.array(anyPath, { maxLength: 6 });
const names = (paths: readonly Path[]) => new Set(paths.map((path) => path.join(" ")));
const isEqual = (set: FieldSet, paths: ReadonlySet<string>) =>
  [...names(pathsOf(set))].toSorted().join() === [...paths].toSorted().join();

test("union, difference and membership equal those of path sets", () => {
  const law = fc.property(anyPaths, anyPaths, anyPath, (some, others, path) => {
    const [left, right] = [fieldSet(some), fieldSet(others)];
    return [
      isEqual(uniteFields(left, right), new Set([...names(some), ...names(others)])),
      isEqual(subtractFields(left, right), new Set([...names(some)].filter((name) => !names(others).has(name)))),
      hasField(left, path) === names(some).has(path.join(" ")),
      isNoFields(left) === (some.length === 0),
    ].every(Boolean);
  });
  fc.assert(law);
});

test("reads a written set back", () => {
  const written = (set: FieldSet): Json =>
    Object.fromEntries([
      ...(set.isOwned && set.below.size > 0 ? [[".", {}] as const] : []),
      ...[...set.below].map(([key, below]) => [key, written(below)] as const),
    ]);
  const law = fc.property(anyPaths, (paths) => isEqual(readFieldsV1(written(fieldSet(paths))), names(paths)));
  fc.assert(law);
});
