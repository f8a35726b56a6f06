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
    reason: "hands over an ignored field that only we own",
    owners: [apply(us, "spec/a", "spec/b")],
    masked: paths("spec/a"),
    handed: ["/spec/a"],
  },
  {
    reason: "a field with another owner is already theirs",
    owners: [apply(us, "spec/a", "spec/b"), update("them", "spec/a")],
    masked: paths("spec/a"),
  },
  {
    reason: "the owner of the parent map does not own the field",
    owners: [apply(us, "spec/a", "spec/b"), update("them", "spec", "spec/m")],
    masked: paths("spec/a"),
    handed: ["/spec/a"],
  },
  {
    reason: "repeats an interrupted hand-over",
    owners: [apply(us, "spec/a", "spec/b"), apply(holder, "spec/a")],
    masked: paths("spec/a"),
    handed: ["/spec/a"],
  },
  {
    reason: "removes a field that an active asset dropped",
    owners: [apply(us, "spec/a", "spec/b")],
    fields: { on: ["/spec/a"] },
  },
  {
    reason: "keeps a field of an inactive asset",
    owners: [apply(us, "spec/a", "spec/b")],
    fields: { off: ["/spec/a"] },
    handed: ["/spec/a"],
  },
  {
    reason: "removes a field of pruned assets",
    owners: [apply(us, "spec/a", "spec/b")],
    fields: { pruned: ["/spec/a"], "also-pruned": ["/spec/a"] },
  },
  {
    reason: "keeps a pruned field that an inactive asset also wanted",
    owners: [apply(us, "spec/a", "spec/b")],
    fields: { pruned: ["/spec/a"], off: ["/spec/a"] },
    handed: ["/spec/a"],
  },
  {
    reason: "keeps an ignored field of a pruned asset",
    owners: [apply(us, "spec/a", "spec/b")],
    masked: paths("spec/a"),
    fields: { pruned: ["/spec/a"] },
    handed: ["/spec/a"],
  },
  { reason: "keeps a field of unknown origin", owners: [apply(us, "spec/a", "spec/b")], handed: ["/spec/a"] },
  {
    reason: "keeps an ignored field of an active asset",
    owners: [apply(us, "spec/a", "spec/b")],
    masked: paths("spec/a"),
    fields: { on: ["/spec/a"] },
    handed: ["/spec/a"],
  },
  {
    reason: "an ignored parent covers all fields below",
    owners: [apply(us, "spec/m/c", "spec/b")],
    masked: paths("spec/m"),
    handed: ["/spec/m/c"],
  },
  {
    reason: "an empty intent hands over the field",
    intent: {},
    owners: [apply(us, "spec/a")],
    masked: paths("spec/a"),
    handed: ["/spec/a"],
  },
  {
    reason: "hands over our map around a foreign field",
    owners: [apply(us, "spec/m", "spec/b"), update("them", "spec/m/c")],
    masked: paths("spec/m/c"),
    handed: ["/spec/m"],
  },
  { reason: "does not hand over a foreign field", owners: [update("them", "spec/a")], masked: paths("spec/a") },
  {
    reason: "does not hand over our state",
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

test("hands over the live value in addition to held fields", () => {
  const held = withOwners(objectOf(live), [apply(holder, "spec/b")]);
  expect(transferObject(held, paths("spec/m/c"))).toEqual(objectOf({ b: 2, m: { c: 3 } }));
});

test("hands over a map without its foreign members", () => {
  const owned = withOwners(objectOf(live), [apply(us, "spec/m", "spec/b"), update("them", "spec/m/c")]);
  expect(transferObject(owned, paths("spec/m", "spec/b"))).toEqual(objectOf({ m: {}, b: 2 }));
  const whole = withOwners(objectOf(live), [apply(us, "spec/m", "spec/b")]);
  expect(transferObject(whole, paths("spec/m"))).toEqual(objectOf({ m: { c: 3 } }));
});

const givings: readonly { reason: string; owners: readonly ClusterEntry[]; rest: Json | undefined }[] = [
  { reason: "holds a field without another owner", owners: [apply(holder, "spec/a")], rest: undefined },
  {
    reason: "gives up a field that another client took",
    owners: [apply(holder, "spec/a", "spec/b"), update("them", "spec/a")],
    rest: { b: 2 },
  },
  {
    reason: "gives up a field that we own again",
    owners: [apply(holder, "spec/a"), apply(us, "spec/a")],
    rest: "nothing",
  },
  {
    reason: "holds a field in a foreign map",
    owners: [apply(holder, "spec/a"), update("them", "spec", "spec/b")],
    rest: undefined,
  },
  {
    reason: "holds a map around a foreign field",
    owners: [apply(holder, "spec/m"), update("them", "spec/m/c")],
    rest: undefined,
  },
  {
    reason: "gives up the foreign content of a map",
    owners: [apply(holder, "spec/m", "spec/a"), update("them", "spec/m/c", "spec/a")],
    rest: { m: {} },
  },
  { reason: "has nothing to give up", owners: [apply(us, "spec/a")], rest: undefined },
];

test.each(givings)("$reason", ({ owners, rest }) => {
  const { spec: _, ...bare } = objectOf({});
  const wanted = rest === undefined ? undefined : rest === "nothing" ? bare : objectOf(rest);
  expect(releaseOwnershipObject(withOwners(objectOf(live), owners))).toEqual(wanted);
});

test("holds a part of a list element while we keep the element", () => {
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
