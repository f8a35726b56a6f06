import type { Json, KubeObject } from "@virt/api";
import { type Path, writePath } from "@virt/objects";
import { expect, test } from "vitest";
import { type ClusterEntry, paths, withOwners } from "../testing/small-cluster.ts";
import { releaseFields, releaseOwnershipObject, transferObject } from "./release.ts";
import { readState } from "./state.ts";

const us = "virt-platform-operator";
const holder = "virt-platform-operator-released";
const objectOf = (spec: Json): KubeObject => ({ apiVersion: "v1", kind: "Thing", metadata: { name: "thing" }, spec });
const apply = (manager: string, ...fields: readonly string[]): ClusterEntry => ({
  manager,
  operation: "Apply",
  paths: paths(...fields),
});
const update = (manager: string, ...fields: readonly string[]): ClusterEntry => ({
  ...apply(manager, ...fields),
  operation: "Update",
});

type Case = {
  readonly reason: string;
  readonly intent?: Json;
  readonly owners: readonly ClusterEntry[];
  readonly masked?: readonly Path[];
  readonly fields?: Readonly<Record<string, readonly string[]>>;
  readonly handed?: readonly string[];
};

const live = { a: 1, b: 2, m: { c: 3 } };
const cases: readonly Case[] = [
  {
    reason: "what we alone own and ignore is handed over",
    owners: [apply(us, "spec/a", "spec/b")],
    masked: paths("spec/a"),
    handed: ["/spec/a"],
  },
  {
    reason: "what somebody else owns too is theirs already",
    owners: [apply(us, "spec/a", "spec/b"), update("them", "spec/a")],
    masked: paths("spec/a"),
  },
  {
    reason: "to own the map around it is not to own it",
    owners: [apply(us, "spec/a", "spec/b"), update("them", "spec", "spec/m")],
    masked: paths("spec/a"),
    handed: ["/spec/a"],
  },
  {
    reason: "a hand-over that was begun is made again",
    owners: [apply(us, "spec/a", "spec/b"), apply(holder, "spec/a")],
    masked: paths("spec/a"),
    handed: ["/spec/a"],
  },
  {
    reason: "what an active asset no longer wants goes",
    owners: [apply(us, "spec/a", "spec/b")],
    fields: { on: ["/spec/a"] },
  },
  {
    reason: "what an asset wanted that is not active any more stays",
    owners: [apply(us, "spec/a", "spec/b")],
    fields: { off: ["/spec/a"] },
    handed: ["/spec/a"],
  },
  {
    reason: "what an asset wanted that is pruned goes with it",
    owners: [apply(us, "spec/a", "spec/b")],
    fields: { pruned: ["/spec/a"], "also-pruned": ["/spec/a"] },
  },
  {
    reason: "what is pruned stays where another asset wanted it that is not active for its own reasons",
    owners: [apply(us, "spec/a", "spec/b")],
    fields: { pruned: ["/spec/a"], off: ["/spec/a"] },
    handed: ["/spec/a"],
  },
  {
    reason: "what is ignored stays even if an asset applied it that is pruned",
    owners: [apply(us, "spec/a", "spec/b")],
    masked: paths("spec/a"),
    fields: { pruned: ["/spec/a"] },
    handed: ["/spec/a"],
  },
  { reason: "what came from nobody knows where stays", owners: [apply(us, "spec/a", "spec/b")], handed: ["/spec/a"] },
  {
    reason: "what is ignored stays even if an active asset applied it",
    owners: [apply(us, "spec/a", "spec/b")],
    masked: paths("spec/a"),
    fields: { on: ["/spec/a"] },
    handed: ["/spec/a"],
  },
  {
    reason: "a parent that is ignored covers all below",
    owners: [apply(us, "spec/m/c", "spec/b")],
    masked: paths("spec/m"),
    handed: ["/spec/m/c"],
  },
  {
    reason: "what is left empty holds nothing",
    intent: {},
    owners: [apply(us, "spec/a")],
    masked: paths("spec/a"),
    handed: ["/spec/a"],
  },
  {
    reason: "a map that we own around a field of somebody else is handed over: without it their field would go",
    owners: [apply(us, "spec/m", "spec/b"), update("them", "spec/m/c")],
    masked: paths("spec/m/c"),
    handed: ["/spec/m"],
  },
  { reason: "we do not give away what we do not own", owners: [update("them", "spec/a")], masked: paths("spec/a") },
  {
    reason: "our memory is nobody's",
    owners: [apply(us, "spec/b", "metadata/annotations/platform.kubevirt.io~1state")],
  },
];

test.each(cases)("$reason", ({ intent = { b: 2 }, owners, masked = [], fields = {}, handed = [] }) => {
  const { handOver: found } = releaseFields({
    live: withOwners(objectOf(live), owners),
    intent: objectOf(intent),
    state: { ...readState(undefined), fields },
    active: ["on"],
    pruned: ["pruned", "also-pruned"],
    masked,
    shapeOf: () => undefined,
  });
  expect(found.map(writePath)).toEqual(handed);
});

test("a field is handed over with the value that it has, beside all that is held already", () => {
  const held = withOwners(objectOf(live), [apply(holder, "spec/b")]);
  expect(transferObject(held, paths("spec/m/c"))).toEqual(objectOf({ b: 2, m: { c: 3 } }));
});

test("a map is handed over without what others have in it", () => {
  const owned = withOwners(objectOf(live), [apply(us, "spec/m", "spec/b"), update("them", "spec/m/c")]);
  expect(transferObject(owned, paths("spec/m", "spec/b"))).toEqual(objectOf({ m: {}, b: 2 }));
  const whole = withOwners(objectOf(live), [apply(us, "spec/m", "spec/b")]);
  expect(transferObject(whole, paths("spec/m"))).toEqual(objectOf({ m: { c: 3 } }));
});

const givings: readonly { reason: string; owners: readonly ClusterEntry[]; rest: Json | undefined }[] = [
  { reason: "what nobody else owns is held on", owners: [apply(holder, "spec/a")], rest: undefined },
  {
    reason: "what somebody took is given up",
    owners: [apply(holder, "spec/a", "spec/b"), update("them", "spec/a")],
    rest: { b: 2 },
  },
  { reason: "what we own again is given up", owners: [apply(holder, "spec/a"), apply(us, "spec/a")], rest: "nothing" },
  {
    reason: "what lies in a map of somebody else is held on",
    owners: [apply(holder, "spec/a"), update("them", "spec", "spec/b")],
    rest: undefined,
  },
  {
    reason: "a map around a field of somebody else is held on: without it their field would go",
    owners: [apply(holder, "spec/m"), update("them", "spec/m/c")],
    rest: undefined,
  },
  {
    reason: "and its content stays theirs",
    owners: [apply(holder, "spec/m", "spec/a"), update("them", "spec/m/c", "spec/a")],
    rest: { m: {} },
  },
  { reason: "where nothing is held there is nothing to give up", owners: [apply(us, "spec/a")], rest: undefined },
];

test.each(givings)("$reason", ({ owners, rest }) => {
  const { spec: _, ...bare } = objectOf({});
  const wanted = rest === undefined ? undefined : rest === "nothing" ? bare : objectOf(rest);
  expect(releaseOwnershipObject(withOwners(objectOf(live), owners))).toEqual(wanted);
});

test("a part of a list element is held on while we keep the element", () => {
  const element = 'k:{"port":1}';
  const object = withOwners(objectOf({ ports: [{ port: 1, name: "x", target: "y" }] }), [
    {
      manager: us,
      operation: "Apply",
      paths: [
        ["f:spec", "f:ports", element],
        ["f:spec", "f:ports", element, "f:name"],
      ],
    },
    { manager: holder, operation: "Apply", paths: [["f:spec", "f:ports", element, "f:target"]] },
  ]);
  expect(releaseOwnershipObject(object)).toBeUndefined();
});
