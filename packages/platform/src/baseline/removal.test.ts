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
  { reason: "what carries our label is deleted as it was seen", given: {}, as: deleted },
  {
    reason: "what does not carry our label is kept",
    given: { labels: {} },
    as: kept("it does not have the operator's label"),
  },
  {
    reason: "a label with another value is not ours",
    given: { labels: { "platform.kubevirt.io/managed-by": "somebody" } },
    as: kept("it does not have the operator's label"),
  },
  { reason: "what is unmanaged is kept", given: { said: { mode: "unmanaged" } }, as: kept("it is unmanaged") },
  { reason: "what is paused is kept", given: { said: { paused: "true" } }, as: kept("it is paused") },
  {
    reason: "without an identity nothing is deleted",
    given: { identity: {} },
    as: kept("it has no uid or resourceVersion"),
  },
  {
    reason: "without a version nothing is deleted",
    given: { identity: { uid: "u" } },
    as: kept("it has no uid or resourceVersion"),
  },
];

const tombstones: readonly Case[] = [
  ...always,
  {
    reason: "an object that was there before the operator is kept",
    given: { said: { state: stateText({ fields: { one: ["/spec/a"] } }) } },
    as: kept("nothing proves that the operator created it"),
  },
  {
    reason: "a record that another client wrote proves nothing",
    given: { theirs: ["metadata/annotations/platform.kubevirt.io~1state"] },
    as: kept("nothing proves that the operator created it"),
  },
  {
    reason: "an object that another client gave content is kept",
    given: { theirs: ["spec/b"] },
    as: kept("nothing proves that the operator created it"),
  },
  {
    reason: "an object with only our label is kept",
    given: { said: { state: "" }, owner: "kubectl-create" },
    as: kept("the operator owns none of its fields"),
  },
];

test.each(tombstones)("tombstone: $reason", ({ given, as }) => {
  expect(decideTombstone(liveOf(given))).toEqual(as);
});

const pruning: readonly Case[] = [
  ...always,
  {
    reason: "what we own nothing in is kept",
    given: { owner: "somebody" },
    as: kept("the operator owns none of its fields"),
  },
  {
    reason: "what was there before us is let go of",
    given: { said: { state: stateText({ fields: { one: ["/spec/a"] } }) } },
    as: released,
  },
  { reason: "what has lost our memory is let go of", given: { said: { state: "?" } }, as: released },
  {
    reason: "a record that another client wrote proves nothing",
    given: { theirs: ["metadata/annotations/platform.kubevirt.io~1state"] },
    as: released,
  },
  { reason: "what another client gave content is let go of", given: { theirs: ["spec/b"] }, as: released },
  { reason: "labels and annotations of others keep nothing", given: { theirs: ["metadata/labels/team"] }, as: deleted },
  { reason: "the HyperConverged is never deleted", given: { kind: "HyperConverged" }, as: released },
  {
    reason: "what an asset made, too, that is not pruned is kept",
    given: {},
    pruned: ["one", "three"],
    as: kept("two also applied it and is still enabled"),
  },
  {
    reason: "an asset that had no part in it does not keep it",
    given: { said: { state: stateText({ created: true, fields: { one: ["/spec/a"] } }) } },
    pruned: ["one"],
    as: deleted,
  },
  {
    reason: "where it is forgotten who made it any asset may have",
    given: { said: { state: stateText({ created: true }) } },
    pruned: ["one", "two"],
    as: kept("three also applied it and is still enabled"),
  },
];

test("a forged record is not believed when the state is written again", () => {
  const forged = liveOf({ theirs: ["metadata/annotations/platform.kubevirt.io~1state"] });
  expect([readState(liveOf({})).created, readState(forged).created]).toEqual([true, false]);
});

test.each(pruning)("prune: $reason", ({ given, pruned = ["one", "two", "three"], as }) => {
  expect(decidePrune(liveOf(given), { assets: ["one", "two", "three"], pruned })).toEqual(as);
});
