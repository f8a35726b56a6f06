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
  { reason: "a value that is ours is nobody's quarrel", live: { a: 1 }, owners: [entry("them", "spec/a")] },
  {
    reason: "another value that somebody set is contested, and they are named",
    owners: [entry("them", "spec/a"), entry("others", "spec/a"), entry("others", "spec/a")],
    contested: ["/spec/a (them, others)"],
  },
  { reason: "a field that nobody owns is free", owners: [entry("them", "spec/b")] },
  { reason: "what we own is agreed", owners: [entry("them", "spec/a"), ours("spec/a")] },
  { reason: "what we applied is agreed", owners: [entry("them", "spec/a")], state: { fields: { asset: ["/spec/a"] } } },
  {
    reason: "what a plan took since then is not",
    owners: [entry("virt-advisor-operator", "spec/a")],
    state: { fields: { asset: ["/spec/a"] } },
    contested: ["/spec/a (virt-advisor-operator)"],
  },
  {
    reason: "a pointer that left ignore-fields is consent",
    owners: [entry("them", "spec/a")],
    state: { released: ["/spec/a"] },
  },
  { reason: "and covers all below it", owners: [entry("them", "spec/a")], state: { released: ["/spec"] } },
  {
    reason: "a name that only begins alike is another field",
    candidate: { ab: 1 },
    live: { ab: 2 },
    owners: [entry("them", "spec/ab")],
    state: { released: ["/spec/a"] },
    contested: ["/spec/ab (them)"],
  },
  {
    reason: "one that is still there is none",
    owners: [entry("them", "spec/a")],
    state: { released: ["/spec/a"] },
    ignored: ["/spec/a"],
    contested: ["/spec/a (them)"],
  },
  {
    reason: "a pointer into a list that is one value meant all of it",
    candidate: { a: [{ b: 1 }] },
    live: { a: [{ b: 2 }] },
    owners: [entry("them", "spec/a")],
    state: { released: ["/spec/a/0/b"] },
  },
  {
    reason: "an element was meant by its position, too",
    candidate: { keyed: [{ id: "x", v: 1 }] },
    live: { keyed: [{ id: "x", v: 2 }] },
    owners: [{ manager: "them", operation: "Update", paths: [["f:spec", "f:keyed", 'k:{"id":"x"}', "f:v"]] }],
    state: { released: ["/spec/keyed/0/v"] },
  },
  { reason: "the schema's default was set by nobody", live: { a: 7 }, owners: [entry("them", "spec/a")] },
  { reason: "what we released is held for anybody", owners: [entry("virt-platform-operator-released", "spec/a")] },
  { reason: "without owners nobody can say who set it", owners: [] },
  {
    reason: "whoever owns the map around it did not set it",
    live: { b: 1 },
    owners: [entry("them", "spec", "spec/b")],
  },
  {
    reason: "an empty map does not mind what others put into it",
    candidate: {},
    live: { level: "debug" },
    owners: [entry("them", "spec", "spec/level")],
  },
  {
    reason: "a map where we want none is another value",
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

test("who writes the status sets nothing", () => {
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
