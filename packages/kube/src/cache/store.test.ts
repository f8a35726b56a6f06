// Tests a store's content and notifications, and when it builds a new list of notified items.

import { runsForCost } from "@virt/testkit/law-runs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Store, type StoreChange } from "./store.ts";

type Thing = { readonly value: number; readonly version: string };

function openStore() {
  const changes: StoreChange<Thing>[] = [];
  const store = new Store<Thing>({
    isEqual: (before, after) => before.value === after.value,
    bytesOf: ({ value }) => value,
    onHandlerError: (error) => expect.unreachable(String(error)),
  });
  store.subscribe((change) => changes.push(change));
  return { store, changes };
}

const put = (key: string, value: number, version = "1") =>
  ({ type: "put", key, version, item: { value, version } }) as const;
const drop = (key: string) => ({ type: "drop", key, version: "1", item: { value: 0, version: "1" } }) as const;

test("keeps the list of notified items until it notifies", () => {
  const { store } = openStore();
  store.change(put("a", 1));
  const first = store.notifiedItems;
  store.change(put("a", 1, "2"));
  store.change(drop("b"));
  store.begin();
  store.collect(put("a", 1, "3"));
  store.swap("3");
  expect(store.notifiedItems).toBe(first);
  expect(store.get("a")).toEqual({ value: 1, version: "3" });
});

test.each([
  { reason: "an item changes", step: (store: Store<Thing>) => store.change(put("a", 2)), values: [2, 5] },
  { reason: "an item is added", step: (store: Store<Thing>) => store.change(put("c", 3)), values: [1, 5, 3] },
  { reason: "an item is deleted", step: (store: Store<Thing>) => store.change(drop("a")), values: [5] },
  { reason: "a new list lacks items", step: (store: Store<Thing>) => (store.begin(), store.swap("2")), values: [] },
  { reason: "the kind is removed", step: (store: Store<Thing>) => store.clear(), values: [] },
])("makes a new list of notified items if $reason", ({ step, values }) => {
  const { store } = openStore();
  store.change(put("a", 1));
  store.change(put("b", 5));
  expect(store.notifiedItems.map(({ value }) => value)).toEqual([1, 5]);
  step(store);
  expect(store.notifiedItems.map(({ value }) => value)).toEqual(values);
});

test("finds the largest namespace of a list and of changes", () => {
  const { store } = openStore();
  expect(store.largestNamespace).toBeUndefined();
  store.change(put("node", 9));
  expect(store.largestNamespace).toBeUndefined();
  for (const key of ["a/1", "a/2"]) store.change(put(key, 3));
  store.change(put("b/1", 5));
  expect(store.largestNamespace).toEqual({ name: "a", bytes: 6 });
  store.begin();
  store.collect(put("b/1", 90));
  expect(store.largestNamespace).toEqual({ name: "b", bytes: 90 });
});

test("a subscriber finds its change in the list", () => {
  const { store } = openStore();
  const seen: number[][] = [];
  store.subscribe(() => seen.push(store.notifiedItems.map(({ value }) => value)));
  store.change(put("a", 1));
  store.change(put("b", 2));
  store.change(drop("a"));
  expect(seen).toEqual([[1], [1, 2], [2]]);
});

type StoreStep = (store: Store<Thing>) => void;

const key = fc.constantFrom("a", "b", "c");
const value = fc.integer({ min: 0, max: 2 });
const version = fc.integer({ min: 1, max: 9 }).map(String);
const putFrame = fc.tuple(key, value, version).map(([one, to, at]) => put(one, to, at));
const anyStep: fc.Arbitrary<StoreStep> = fc.oneof(
  putFrame.map(
    (frame): StoreStep =>
      (store) =>
        store.change(frame),
  ),
  key.map(
    (one): StoreStep =>
      (store) =>
        store.change(drop(one)),
  ),
  fc.array(putFrame, { maxLength: 4 }).map(
    (frames): StoreStep =>
      (store) => {
        store.begin();
        for (const frame of frames) store.collect(frame);
        store.swap("9");
      },
  ),
  fc.constant<StoreStep>((store) => store.clear()),
);

/** A new list may have them in another order. */
const valuesOf = (things: readonly Thing[]) =>
  things
    .map(({ value: one }) => `${one}`)
    .toSorted()
    .join();

test("the list equals the store, and is new only after a notification", () => {
  const law = fc.property(fc.array(anyStep, { size: "max", maxLength: 30 }), (steps) => {
    const { store, changes } = openStore();
    return steps.every((step) => {
      const [list, count] = [store.notifiedItems, changes.length];
      step(store);
      const isRight = valuesOf(store.notifiedItems) === valuesOf([...store.items()]);
      return isRight && (store.notifiedItems === list) === (changes.length === count);
    });
  });
  fc.assert(law);
});

const anyUpdate = fc.record({
  what: fc.constantFrom("put", "drop", "begin", "collect", "uncollect", "swap", "clear"),
  key: fc.constantFrom("a", "b", "c"),
  value: fc.nat(100),
});

test("counts the bytes of the items or of a larger incomplete list", () => {
  const law = fc.property(fc.array(anyUpdate, { maxLength: 40 }), (updates) => {
    const { store } = openStore();
    let collected = new Map<string, number>();
    for (const { what, key, value } of updates) {
      if (what === "put") store.change(put(key, value));
      if (what === "drop") store.change(drop(key));
      if (what === "collect") store.collect(put(key, value));
      if (what === "uncollect") store.collect(drop(key));
      if (what === "begin") store.begin();
      if (what === "swap") store.swap("1");
      if (what === "clear") store.clear();
      if (what === "collect") collected.set(key, value);
      if (what === "uncollect") collected.delete(key);
      if (what === "begin" || what === "swap" || what === "clear") collected = new Map();
      const kept = [...store.items()].reduce((sum, item) => sum + item.value, 0);
      const listed = [...collected.values()].reduce((sum, item) => sum + item, 0);
      if (store.bytes !== Math.max(kept, listed)) return false;
    }
    return true;
  });
  fc.assert(law, runsForCost(10));
});
