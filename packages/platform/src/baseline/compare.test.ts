import type { Json, KubeObject } from "@virt/api";
import { fullBucket, noSchema, writePath } from "@virt/objects";
import { expect, test } from "vitest";
import { objectAnnotations } from "../hco-annotations.ts";
import { type ClusterEntry, paths, withOwners } from "../testing/small-cluster.ts";
import { compareObject, isWriteDue } from "./compare.ts";

const label = { "platform.kubevirt.io/managed-by": "virt-platform-operator" };
const labelPath = "metadata/labels/platform.kubevirt.io~1managed-by";
const ours = (...fields: readonly string[]): ClusterEntry => ({
  manager: "virt-platform-operator",
  operation: "Apply",
  paths: paths(labelPath, ...fields),
});
const theirs = (...fields: readonly string[]): ClusterEntry => ({
  manager: "them",
  operation: "Update",
  paths: paths(...fields),
});

type LiveOptions = {
  readonly version?: string;
  readonly uid?: string;
  readonly state?: string;
  readonly status?: Json;
};

function objectOf(
  spec: Json,
  owners: readonly ClusterEntry[],
  { version = "1", uid = "uid", state, status }: LiveOptions = {},
) {
  const annotations = state === undefined ? {} : { annotations: { [objectAnnotations.state]: state } };
  const metadata = { name: "thing", uid, resourceVersion: version, labels: label, ...annotations };
  const object: KubeObject = {
    apiVersion: "v1",
    kind: "Thing",
    metadata,
    spec,
    ...(status !== undefined && { status }),
  };
  return withOwners(object, owners);
}

const applied = '{"v":1,"fields":{"asset":["/spec/a","/spec/b"]}}';
const intent: KubeObject = {
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: "thing", labels: label },
  spec: { a: 1, b: [1] },
};
const own = ours("spec/a", "spec/b");
const answer = objectOf({ a: 1, b: [1], c: 3 }, [own, theirs("spec/c")]);

type Case = { readonly reason: string; readonly live: KubeObject; readonly found: string };

const known: readonly Case[] = [
  { reason: "the object of our last answer is in sync", live: answer, found: "in-sync" },
  {
    reason: "a changed status is not drift",
    live: objectOf({ a: 1, b: [1], c: 3 }, [own], { version: "2", status: { phase: "new" } }),
    found: "in-sync",
  },
  {
    reason: "a foreign field is not drift",
    live: objectOf({ a: 1, b: [1], c: 4, d: 5 }, [own, theirs("spec/c", "spec/d")], { version: "2" }),
    found: "in-sync",
  },
  {
    reason: "another owner of the same value is not drift",
    live: objectOf({ a: 1, b: [1] }, [ours("spec/b"), theirs("spec/a")], { version: "2" }),
    found: "in-sync",
  },
  {
    reason: "our state annotation is not compared",
    live: objectOf({ a: 1, b: [1], c: 3 }, [own], { version: "2", state: "gone wrong" }),
    found: "in-sync",
  },
  {
    reason: "a changed field of ours is drift",
    live: objectOf({ a: 2, b: [1] }, [theirs("spec/a")], { version: "2" }),
    found: "drift /spec/a",
  },
  {
    reason: "a removed field of ours is drift",
    live: objectOf({ b: [1, 2] }, [theirs("spec/b")], { version: "2" }),
    found: "drift /spec/a, /spec/b",
  },
  {
    reason: "another object with the name needs a dry run",
    live: objectOf({ a: 1, b: [1] }, [theirs("spec/a", "spec/b")], { version: "2", uid: "other" }),
    found: "ask start",
  },
];

const compared = (live: KubeObject, memory: { answer?: KubeObject; sent?: KubeObject }) => {
  const found = compareObject({
    intent,
    live,
    memory: { bucket: fullBucket, wasThere: true, ...memory },
    shapeOf: noSchema,
  });
  if (found.kind === "ask") return `ask ${found.cause}`;
  return found.kind === "drift" ? `drift ${found.changes.map(({ path }) => writePath(path)).join(", ")}` : found.kind;
};

test.each(known)("$reason", ({ live, found }) => expect(compared(live, { answer, sent: intent })).toBe(found));

test("another intent needs a dry run", () => {
  expect(compared(answer, { answer, sent: { ...intent, spec: {} } })).toBe("ask intent");
});

const starts: readonly Case[] = [
  {
    reason: "after a start, an object we own completely is in sync",
    live: objectOf({ a: 1, b: [1] }, [own]),
    found: "in-sync",
  },
  {
    reason: "after a start, another value needs a dry run",
    live: objectOf({ a: 2, b: [1] }, [own], { state: applied }),
    found: "ask start",
  },
  {
    reason: "after a start, an owned field outside the intent needs a dry run",
    live: objectOf({ a: 1, b: [1], c: 1 }, [ours("spec/a", "spec/b", "spec/c")], { state: applied }),
    found: "ask start",
  },
  {
    reason: "after a start, a field we never applied needs a dry run",
    live: objectOf({ a: 1 }, [ours("spec/a")], { state: '{"v":1,"fields":{"asset":["/spec/a"]}}' }),
    found: "ask start",
  },
  {
    reason: "a field taken from us while down is drift",
    live: objectOf({ a: 2, b: [1] }, [ours("spec/b"), theirs("spec/a")], { state: applied }),
    found: "drift /spec/a",
  },
  {
    reason: "a field removed while down is drift",
    live: objectOf({ b: [1] }, [ours("spec/b")], { state: applied }),
    found: "drift /spec/a",
  },
  {
    reason: "a map of ours around a taken field does not change that",
    live: objectOf({ a: 2, b: [1] }, [ours("spec", "spec/b"), theirs("spec/a")], { state: applied }),
    found: "drift /spec/a",
  },
  {
    reason: "a taken field with a changed intent needs a dry run",
    live: objectOf({ a: 2, b: [2] }, [ours("spec/b"), theirs("spec/a")], { state: applied }),
    found: "ask start",
  },
  {
    reason: "a field taken and set back needs a dry run",
    live: objectOf({ a: 1, b: [1] }, [ours("spec/b"), theirs("spec/a")], { state: applied }),
    found: "ask start",
  },
];

test.each(starts)("$reason", ({ live, found }) => expect(compared(live, {})).toBe(found));

test("an empty map accepts members of other clients", () => {
  const empty: KubeObject = { ...intent, spec: {} };
  const before = objectOf({}, [ours("spec")]);
  const live = objectOf({ level: "debug" }, [ours("spec"), theirs("spec/level")], { version: "2" });
  const decide = (memory: { answer?: KubeObject; sent?: KubeObject }) =>
    compareObject({ intent: empty, live, memory: { bucket: fullBucket, wasThere: true, ...memory }, shapeOf: noSchema })
      .kind;
  expect(decide({ answer: before, sent: empty })).toBe("in-sync");
  expect(decide({})).toBe("in-sync");
  const gone = { ...live, spec: "a text" };
  expect(
    compareObject({
      intent: empty,
      live: gone,
      memory: { bucket: fullBucket, wasThere: true, answer: before, sent: empty },
      shapeOf: noSchema,
    }).kind,
  ).toBe("drift");
});

const dues: readonly { reason: string; reply: KubeObject; isDue: boolean }[] = [
  {
    reason: "an equal answer needs no write",
    reply: objectOf({ a: 1, b: [1] }, [own], { version: "9" }),
    isDue: false,
  },
  { reason: "another value needs a write", reply: objectOf({ a: 2, b: [1] }, [own]), isDue: true },
  { reason: "a released field needs a write", reply: objectOf({ a: 1, b: [1] }, [ours("spec/a")]), isDue: true },
  {
    reason: "an additional owned field needs no write",
    reply: objectOf({ a: 1, b: [1] }, [ours("spec/a", "spec/b", "spec/c")]),
    isDue: false,
  },
  {
    reason: "a status needs no write",
    reply: objectOf({ a: 1, b: [1] }, [own], { status: { phase: "new" } }),
    isDue: false,
  },
  {
    reason: "our state annotation needs no write",
    reply: objectOf({ a: 1, b: [1] }, [own], { state: "{}" }),
    isDue: false,
  },
];

test.each(dues)("$reason", ({ reply, isDue }) => {
  expect(isWriteDue(objectOf({ a: 1, b: [1] }, [own]), reply)).toBe(isDue);
});
