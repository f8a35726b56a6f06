import type { Json, KubeObject } from "@virt/api";
import { type Shape, writePath } from "@virt/objects";
import { expect, test } from "vitest";
import { type ClusterEntry, paths, withOwners } from "../testing/small-cluster.ts";
import { contestedPaths } from "./contested.ts";
import { type ObjectState, readState } from "./state.ts";

const shapes = new Map<string, Shape>([["spec.keyed", { kind: "map", keys: ["id"] }]]);
const objectOf = (spec: Json): KubeObject => ({ apiVersion: "v1", kind: "Thing", metadata: { name: "thing" }, spec });
const nothingKnown = readState(undefined);
const entry = (manager: string, ...fields: readonly string[]): ClusterEntry => ({
  manager,
  operation: "Update",
  paths: paths(...fields),
});
const ours = (...fields: readonly string[]): ClusterEntry => ({
  ...entry("virt-platform-operator", ...fields),
  operation: "Apply",
});

type Case = {
  readonly reason: string;
  readonly candidate?: Json;
  readonly live?: Json;
  readonly owners: readonly ClusterEntry[];
  readonly state?: Partial<ObjectState>;
  readonly ignored?: readonly string[];
  readonly contested?: readonly string[];
};

const cases: readonly Case[] = [
  { reason: "our own value is not contested", live: { a: 1 }, owners: [entry("them", "spec/a")] },
  {
    reason: "another value is contested, with its managers",
    owners: [entry("them", "spec/a"), entry("others", "spec/a"), entry("others", "spec/a")],
    contested: ["/spec/a (them, others)"],
  },
  { reason: "a field without an owner is not contested", owners: [entry("them", "spec/b")] },
  { reason: "a field that we own is not contested", owners: [entry("them", "spec/a"), ours("spec/a")] },
  {
    reason: "a field that we applied is not contested",
    owners: [entry("them", "spec/a")],
    state: { fields: { asset: ["/spec/a"] } },
  },
  {
    reason: "a field that a plan took is contested",
    owners: [entry("virt-advisor-operator", "spec/a")],
    state: { fields: { asset: ["/spec/a"] } },
    contested: ["/spec/a (virt-advisor-operator)"],
  },
  {
    reason: "a pointer removed from ignore-fields is consent",
    owners: [entry("them", "spec/a")],
    state: { released: ["/spec/a"] },
  },
  { reason: "consent covers all fields below", owners: [entry("them", "spec/a")], state: { released: ["/spec"] } },
  {
    reason: "a field with the same start is another field",
    candidate: { ab: 1 },
    live: { ab: 2 },
    owners: [entry("them", "spec/ab")],
    state: { released: ["/spec/a"] },
    contested: ["/spec/ab (them)"],
  },
  {
    reason: "a pointer still in ignore-fields does not consent",
    owners: [entry("them", "spec/a")],
    state: { released: ["/spec/a"] },
    ignored: ["/spec/a"],
    contested: ["/spec/a (them)"],
  },
  {
    reason: "a pointer into an atomic list covers the whole list",
    candidate: { a: [{ b: 1 }] },
    live: { a: [{ b: 2 }] },
    owners: [entry("them", "spec/a")],
    state: { released: ["/spec/a/0/b"] },
  },
  {
    reason: "a pointer by position covers a keyed element",
    candidate: { keyed: [{ id: "x", v: 1 }] },
    live: { keyed: [{ id: "x", v: 2 }] },
    owners: [{ manager: "them", operation: "Update", paths: [["f:spec", "f:keyed", 'k:{"id":"x"}', "f:v"]] }],
    state: { released: ["/spec/keyed/0/v"] },
  },
  { reason: "a default of the schema is not contested", live: { a: 7 }, owners: [entry("them", "spec/a")] },
  { reason: "a field that we released is not contested", owners: [entry("virt-platform-operator-released", "spec/a")] },
  { reason: "a field of an object without owners is not contested", owners: [] },
  { reason: "the owner of the parent map does not contest", live: { b: 1 }, owners: [entry("them", "spec", "spec/b")] },
  {
    reason: "an empty map accepts members of other clients",
    candidate: {},
    live: { level: "debug" },
    owners: [entry("them", "spec", "spec/level")],
  },
  {
    reason: "a map instead of our value is contested",
    candidate: { a: 1 },
    live: { a: { b: 1 } },
    owners: [entry("them", "spec/a/b")],
    contested: ["/spec/a (them)"],
  },
];

test.each(cases)(
  "$reason",
  ({ candidate = { a: 1 }, live = { a: 2 }, owners, state, ignored = [], contested = [] }) => {
    const found = contestedPaths({
      candidate: objectOf(candidate),
      live: withOwners(objectOf(live), owners),
      state: { ...nothingKnown, ...state },
      shapeOf: (names) => shapes.get(names.join(".")),
      defaultOf: (path) => (writePath(path) === "/spec/a" ? 7 : undefined),
      ignored,
    });
    expect(found.map(({ path, managers }) => `${writePath(path)} (${managers.join(", ")})`)).toEqual(contested);
  },
);

test("a writer of the status does not contest", () => {
  const live = objectOf({ a: 2 });
  const managedFields = [
    { manager: "them", operation: "Update", subresource: "status", fieldsV1: { "f:spec": { "f:a": {} } } },
  ];
  const found = contestedPaths({
    candidate: objectOf({ a: 1 }),
    live: { ...live, metadata: { ...live.metadata, managedFields } },
    state: nothingKnown,
    shapeOf: () => undefined,
    defaultOf: () => undefined,
    ignored: [],
  });
  expect(found).toEqual([]);
});
