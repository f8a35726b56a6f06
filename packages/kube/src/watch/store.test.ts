// What a store has, whom it tells, and that its list of what was told is another one whenever it should be.

import fc from "fast-check";
import { expect, test } from "vitest";
import { type Change, Store } from "./store.ts";

type Thing = { readonly value: number; readonly version: string };

function openStore() {
  const changes: Change<Thing>[] = [];
  const store = new Store<Thing>({
    isEqual: (before, after) => before.value === after.value,
    onHandlerError: (error) => expect.unreachable(String(error)),
  });
  store.subscribe((change) => changes.push(change));
  return { store, changes };
}

const put = (key: string, value: number, version = "1") =>
  ({ type: "put", key, version, item: { value, version } }) as const;
const drop = (key: string) => ({ type: "drop", key, version: "1", item: { value: 0, version: "1" } }) as const;

test("a list of what was told is the same one until a change is told", () => {
  const { store } = openStore();
  store.change(put("a", 1));
  const first = store.told;
  store.change(put("a", 1, "2"));
  store.change(drop("b"));
  store.begin();
  store.collect(put("a", 1, "3"));
  store.swap("3");
  expect(store.told).toBe(first);
  expect(store.get("a")).toEqual({ value: 1, version: "3" });
});

test.each([
  { reason: "an item is another one", act: (store: Store<Thing>) => store.change(put("a", 2)), values: [2, 5] },
  { reason: "an item comes", act: (store: Store<Thing>) => store.change(put("c", 3)), values: [1, 5, 3] },
  { reason: "an item goes", act: (store: Store<Thing>) => store.change(drop("a")), values: [5] },
  { reason: "a new list has others", act: (store: Store<Thing>) => (store.begin(), store.swap("2")), values: [] },
  { reason: "the kind goes", act: (store: Store<Thing>) => store.clear(), values: [] },
])("the list of what was told is another one when $reason", ({ act, values }) => {
  const { store } = openStore();
  store.change(put("a", 1));
  store.change(put("b", 5));
  expect(store.told.map(({ value }) => value)).toEqual([1, 5]);
  act(store);
  expect(store.told.map(({ value }) => value)).toEqual(values);
});

test("whoever is told of a change finds it in the list", () => {
  const { store } = openStore();
  const seen: number[][] = [];
  store.subscribe(() => seen.push(store.told.map(({ value }) => value)));
  store.change(put("a", 1));
  store.change(put("b", 2));
  store.change(drop("a"));
  expect(seen).toEqual([[1], [1, 2], [2]]);
});

type Act = (store: Store<Thing>) => void;

const key = fc.constantFrom("a", "b", "c");
const value = fc.integer({ min: 0, max: 2 });
const version = fc.integer({ min: 1, max: 9 }).map(String);
const putFrame = fc.tuple(key, value, version).map(([one, to, at]) => put(one, to, at));
const anyAct: fc.Arbitrary<Act> = fc.oneof(
  putFrame.map(
    (frame): Act =>
      (store) =>
        store.change(frame),
  ),
  key.map(
    (one): Act =>
      (store) =>
        store.change(drop(one)),
  ),
  fc.array(putFrame, { maxLength: 4 }).map(
    (frames): Act =>
      (store) => {
        store.begin();
        for (const frame of frames) store.collect(frame);
        store.swap("9");
      },
  ),
  fc.constant<Act>((store) => store.clear()),
);

/** A new list may have them in another order. */
const valuesOf = (things: readonly Thing[]) =>
  things
    .map(({ value: one }) => `${one}`)
    .toSorted()
    .join();

test("after anything that happens the list has what the store has, and stays the same where nothing was told", () => {
  const law = fc.property(fc.array(anyAct, { size: "max", maxLength: 30 }), (acts) => {
    const { store, changes } = openStore();
    return acts.every((act) => {
      const [list, count] = [store.told, changes.length];
      act(store);
      const isRight = valuesOf(store.told) === valuesOf([...store.items()]);
      return isRight && (store.told === list) === (changes.length === count);
    });
  });
  fc.assert(law, { numRuns: 20_000 });
});
