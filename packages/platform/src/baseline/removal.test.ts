import type { KubeObject } from "@virt/api";
import { expect, test } from "vitest";
import type { objectAnnotations } from "../hco-annotations.ts";
import { withAnnotations } from "../testing/reconciled-example.ts";
import { paths, withOwners } from "../testing/small-cluster.ts";
import { decidePrune, decideTombstone, type RemovalDecision } from "./removal.ts";
import { type ObjectState, readState, writeState } from "./state.ts";

const stateText = (state: Partial<ObjectState>) => writeState({ ...readState(undefined), ...state });
const made = stateText({ created: true, fields: { one: ["/spec/a"], two: ["/spec/b"] } });
const labels = { "platform.kubevirt.io/managed-by": "virt-platform-operator" };

type RemovalOptions = {
  readonly kind?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly said?: Partial<Record<keyof typeof objectAnnotations, string>>;
  readonly owner?: string;
  readonly theirs?: readonly string[];
  readonly identity?: { readonly uid?: string; readonly resourceVersion?: string };
};

function liveOf(given: RemovalOptions): KubeObject {
  const { kind = "Thing", said = {}, owner = "virt-platform-operator" } = given;
  const { identity = { uid: "u", resourceVersion: "7" } } = given;
  const metadata = {
    name: "thing",
    labels: given.labels ?? labels,
    ...withAnnotations({ state: made, ...said }),
    ...identity,
  };
  const object: KubeObject = { apiVersion: "v1", kind, metadata, spec: { a: 1 } };
  const { theirs = [] } = given;
  return withOwners(object, [
    { manager: owner, operation: "Apply", paths: paths("spec/a") },
    ...(theirs.length === 0
      ? []
      : [{ manager: "kubectl-create", operation: "Update", paths: paths(...theirs) } as const]),
  ]);
}

const deleted: RemovalDecision = { kind: "delete", uid: "u", resourceVersion: "7" };
const released: RemovalDecision = { kind: "release" };
const kept = (why: string): RemovalDecision => ({ kind: "keep", why });

type Case = {
  readonly reason: string;
  readonly given: RemovalOptions;
  readonly pruned?: readonly string[];
  readonly as: RemovalDecision;
};

const always: readonly Case[] = [
  { reason: "deletes an object with our label in the observed version", given: {}, as: deleted },
  {
    reason: "keeps an object without our label",
    given: { labels: {} },
    as: kept("it does not have the operator's label"),
  },
  {
    reason: "keeps an object with another label value",
    given: { labels: { "platform.kubevirt.io/managed-by": "somebody" } },
    as: kept("it does not have the operator's label"),
  },
  { reason: "keeps an unmanaged object", given: { said: { mode: "unmanaged" } }, as: kept("it is unmanaged") },
  { reason: "keeps a paused object", given: { said: { paused: "true" } }, as: kept("it is paused") },
  { reason: "keeps an object without uid", given: { identity: {} }, as: kept("it has no uid or resourceVersion") },
  {
    reason: "keeps an object without resourceVersion",
    given: { identity: { uid: "u" } },
    as: kept("it has no uid or resourceVersion"),
  },
];

const tombstones: readonly Case[] = [
  ...always,
  {
    reason: "keeps an object that existed before the operator",
    given: { said: { state: stateText({ fields: { one: ["/spec/a"] } }) } },
    as: kept("there is no proof that the operator created it"),
  },
  {
    reason: "a state written by another client proves nothing",
    given: { theirs: ["metadata/annotations/platform.kubevirt.io~1state"] },
    as: kept("there is no proof that the operator created it"),
  },
  {
    reason: "keeps an object with foreign content",
    given: { theirs: ["spec/b"] },
    as: kept("there is no proof that the operator created it"),
  },
  {
    reason: "keeps an object with only our label",
    given: { said: { state: "" }, owner: "kubectl-create" },
    as: kept("the operator does not own any of its fields"),
  },
];

test.each(tombstones)("tombstone: $reason", ({ given, as }) => {
  expect(decideTombstone(liveOf(given))).toEqual(as);
});

const pruning: readonly Case[] = [
  ...always,
  {
    reason: "keeps an object without fields of ours",
    given: { owner: "somebody" },
    as: kept("the operator does not own any of its fields"),
  },
  {
    reason: "releases an object that existed before the operator",
    given: { said: { state: stateText({ fields: { one: ["/spec/a"] } }) } },
    as: released,
  },
  { reason: "releases an object with a lost state", given: { said: { state: "?" } }, as: released },
  {
    reason: "a state written by another client proves nothing",
    given: { theirs: ["metadata/annotations/platform.kubevirt.io~1state"] },
    as: released,
  },
  { reason: "releases an object with foreign content", given: { theirs: ["spec/b"] }, as: released },
  { reason: "ignores foreign labels and annotations", given: { theirs: ["metadata/labels/team"] }, as: deleted },
  { reason: "never deletes the HyperConverged", given: { kind: "HyperConverged" }, as: released },
  {
    reason: "keeps an object of an asset that is not pruned",
    given: {},
    pruned: ["one", "three"],
    as: kept("two also applied it and is still enabled"),
  },
  {
    reason: "ignores an asset without a part in it",
    given: { said: { state: stateText({ created: true, fields: { one: ["/spec/a"] } }) } },
    pruned: ["one"],
    as: deleted,
  },
  {
    reason: "without a record, any asset may have applied it",
    given: { said: { state: stateText({ created: true }) } },
    pruned: ["one", "two"],
    as: kept("three also applied it and is still enabled"),
  },
];

test("does not trust a forged state when it writes the state", () => {
  const forged = liveOf({ theirs: ["metadata/annotations/platform.kubevirt.io~1state"] });
  expect([readState(liveOf({})).created, readState(forged).created]).toEqual([true, false]);
});

test.each(pruning)("prune: $reason", ({ given, pruned = ["one", "two", "three"], as }) => {
  expect(decidePrune(liveOf(given), { assets: ["one", "two", "three"], pruned })).toEqual(as);
});
