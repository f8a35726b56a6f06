import type { Json, KubeObject } from "@virt/api";
import { noSchema, type Path, type ShapeOf, writePath } from "@virt/objects";
import { expect, test } from "vitest";
import { exampleObject } from "../testing/reconciled-example.ts";
import { type ClusterEntry, paths, withOwners } from "../testing/small-cluster.ts";
import { membersOfEmptiedMaps, removalPatch } from "./emptied-maps.ts";

const apply = (manager: string, ...fields: readonly string[]): ClusterEntry => ({
  manager,
  operation: "Apply",
  paths: paths(...fields),
});
const ours = (...fields: readonly string[]) => apply("virt-platform-operator", ...fields);
const update = (...fields: readonly string[]): ClusterEntry => ({ ...apply("them", ...fields), operation: "Update" });

type Case = {
  readonly reason: string;
  readonly live: Json;
  readonly intent: Json;
  readonly owners: readonly ClusterEntry[];
  readonly handOver?: readonly Path[];
  readonly shapeOf?: ShapeOf;
  readonly removed?: readonly string[];
};

const one = { a: 1 };
const nested = { m: { a: 1, b: 2 } };
const cases: readonly Case[] = [
  { reason: "the only member", live: one, intent: {}, owners: [ours("spec/a")], removed: ["/spec/a"] },
  {
    reason: "all members with everything below",
    live: { ...nested, n: 3 },
    intent: {},
    owners: [ours("spec/m/a", "spec/m/b", "spec/n")],
    removed: ["/spec/m", "/spec/n"],
  },
  {
    reason: "members of an inner map that the intent empties",
    live: { ...nested, n: 3 },
    intent: { m: {}, n: 3 },
    owners: [ours("spec/m/a", "spec/m/b", "spec/n")],
    removed: ["/spec/m/a", "/spec/m/b"],
  },
  {
    reason: "members of a map that another client owns",
    live: { m: { a: 1 }, n: 3 },
    intent: { n: 3 },
    owners: [ours("spec/m/a", "spec/n"), apply("them", "spec/m")],
    removed: ["/spec/m/a"],
  },
  {
    reason: "members beside a foreign inner map, which stays",
    live: { m: { a: 1, o: { b: 2 } } },
    intent: {},
    owners: [ours("spec/m/a", "spec/m/o/b"), update("spec/m/o")],
    removed: ["/spec/m/a", "/spec/m/o/b"],
  },
  { reason: "nothing that the intent has", live: one, intent: one, owners: [ours("spec/a")] },
  { reason: "nothing beside a remaining member", live: { a: 1, b: 2 }, intent: { b: 2 }, owners: [ours("spec/a")] },
  { reason: "nothing beside a new member", live: one, intent: { b: 2 }, owners: [ours("spec/a")] },
  {
    reason: "nothing beside a foreign member",
    live: { a: 1, b: 2 },
    intent: {},
    owners: [ours("spec/a"), update("spec/b")],
  },
  { reason: "nothing beside a member without an owner", live: { a: 1, b: 2 }, intent: {}, owners: [ours("spec/a")] },
  { reason: "nothing with another owner", live: one, intent: {}, owners: [ours("spec/a"), update("spec/a")] },
  { reason: "nothing that is not ours", live: one, intent: {}, owners: [update("spec/a")] },
  { reason: "nothing that is handed over", live: one, intent: {}, owners: [ours("spec/a")], handOver: paths("spec/a") },
  {
    reason: "nothing of a map that is removed as a whole",
    live: { ...nested, n: 3 },
    intent: { n: 3 },
    owners: [ours("spec/m/a", "spec/m/b", "spec/n")],
  },
  {
    reason: "nothing of an atomic map, which an apply replaces",
    live: nested,
    intent: { m: {} },
    owners: [ours("spec/m")],
    shapeOf: (names) => (names.join(".") === "spec.m" ? { kind: "atomic" } : undefined),
  },
  {
    reason: "nothing of labels, which may be null",
    live: {},
    intent: {},
    owners: [ours("metadata/labels/a"), update("metadata/labels")],
  },
  {
    reason: "nothing in a list element, which a merge patch cannot name",
    live: { l: [{ id: "x", m: { a: 1 } }] },
    intent: { l: [{ id: "x", m: {} }] },
    owners: [{ ...ours(), paths: [["f:spec", "f:l", 'k:{"id":"x"}', "f:m", "f:a"]] }],
    shapeOf: (names) => (names.join(".") === "spec.l" ? { kind: "map", keys: ["id"] } : undefined),
  },
];

test.each(cases)(
  "removes before an apply: $reason",
  ({ live, intent, owners, handOver = [], shapeOf = noSchema, removed = [] }) => {
    const objectOf = (spec: Json): KubeObject => exampleObject(spec as never, { labels: { a: "b" } });
    const found = membersOfEmptiedMaps({
      live: withOwners(objectOf(live), owners),
      intent: { ...exampleObject(intent as never), metadata: { name: "thing" } },
      handOver,
      shapeOf,
    });
    expect(found.map(writePath)).toEqual(removed);
  },
);

test("one merge patch removes all members", () => {
  expect(removalPatch(paths("spec/a", "spec/m/b", "spec/m/c"))).toEqual({ spec: { a: null, m: { b: null, c: null } } });
});
