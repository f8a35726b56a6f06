import { expect, test } from "vitest";
import { pauseAfter, readListPage } from "./list-watch.ts";

const read = (body: unknown) => readListPage(body, (object) => object);

test("items get apiVersion and kind from the list", () => {
  const body = {
    apiVersion: "v1",
    kind: "NodeList",
    metadata: { resourceVersion: "7", continue: "token" },
    items: [{ metadata: { name: "a", namespace: "n", resourceVersion: "3" } }],
  };
  const item = { apiVersion: "v1", kind: "Node", metadata: { name: "a", namespace: "n", resourceVersion: "3" } };
  expect(read(body)).toEqual({
    items: [{ type: "put", key: "n/a", version: "3", item }],
    version: "7",
    continue: "token",
  });
});

test.each([undefined, null, "<html>", [], {}, { items: {} }])("%j is not an empty list", (body) => {
  expect(read(body)).toBeUndefined();
});

test("null items of a Go server are an empty list", () => {
  expect(read({ kind: "NodeList", metadata: { resourceVersion: "7", continue: "" }, items: null })).toEqual({
    items: [],
    version: "7",
  });
});

test("the back-off doubles up to its limit", () => {
  const pauses = [1, 2, 3, 4, 5, 6, 50, 5_000].map((failures) => pauseAfter(failures, { first: 1_000, most: 30_000 }));
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
});
