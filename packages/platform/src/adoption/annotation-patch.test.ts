import type { KubeObject } from "@virt/api";
import { expect, test } from "vitest";
import { annotationPatch } from "./annotation-patch.ts";

const objectWith = (annotations?: Readonly<Record<string, string>>): KubeObject => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: "thing", uid: "u", resourceVersion: "7", ...(annotations && { annotations }) },
});

test("tests the uid and each old value before it changes one", () => {
  expect(annotationPatch(objectWith({ "a/x": "1", "a/y": "2" }), { "a/x": "3", "a/y": null, "a/z": "4" })).toEqual([
    { op: "test", path: "/metadata/uid", value: "u" },
    { op: "test", path: "/metadata/annotations/a~1x", value: "1" },
    { op: "add", path: "/metadata/annotations/a~1x", value: "3" },
    { op: "test", path: "/metadata/annotations/a~1y", value: "2" },
    { op: "remove", path: "/metadata/annotations/a~1y" },
    { op: "test", path: "/metadata/annotations/a~1z", value: null },
    { op: "add", path: "/metadata/annotations/a~1z", value: "4" },
  ]);
});

test("the first annotation of an object does not overwrite those of another client", () => {
  expect(annotationPatch(objectWith(), { key: "value" }, { isExact: true })).toEqual([
    { op: "test", path: "/metadata/uid", value: "u" },
    { op: "test", path: "/metadata/resourceVersion", value: "7" },
    { op: "test", path: "/metadata/annotations", value: null },
    { op: "add", path: "/metadata/annotations", value: {} },
    { op: "test", path: "/metadata/annotations/key", value: null },
    { op: "add", path: "/metadata/annotations/key", value: "value" },
  ]);
});

test("returns no operations if nothing changes", () => {
  expect(annotationPatch(objectWith({ key: "value" }), { key: "value", other: null })).toEqual([]);
});
