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
  { reason: "the object of our answer is as we left it", live: answer, found: "in-sync" },
  {
    reason: "a status that moves is nothing to us",
    live: objectOf({ a: 1, b: [1], c: 3 }, [own], { version: "2", status: { phase: "new" } }),
    found: "in-sync",
  },
  {
    reason: "a field of somebody else is nothing to us",
    live: objectOf({ a: 1, b: [1], c: 4, d: 5 }, [own, theirs("spec/c", "spec/d")], { version: "2" }),
    found: "in-sync",
  },
  {
    reason: "an owner more is nothing to us while the value stays",
    live: objectOf({ a: 1, b: [1] }, [ours("spec/b"), theirs("spec/a")], { version: "2" }),
    found: "in-sync",
  },
  {
    reason: "our memory is no field",
    live: objectOf({ a: 1, b: [1], c: 3 }, [own], { version: "2", state: "gone wrong" }),
    found: "in-sync",
  },
  {
    reason: "a field of ours that changed is drift",
    live: objectOf({ a: 2, b: [1] }, [theirs("spec/a")], { version: "2" }),
    found: "drift /spec/a",
  },
  {
    reason: "a field of ours that is gone is drift",
    live: objectOf({ b: [1, 2] }, [theirs("spec/b")], { version: "2" }),
    found: "drift /spec/a, /spec/b",
  },
  {
    reason: "another object of that name is a new beginning",
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

test("another intent than the one we sent has to be asked for", () => {
  expect(compared(answer, { answer, sent: { ...intent, spec: {} } })).toBe("ask intent");
});

const starts: readonly Case[] = [
  {
    reason: "after a start what is ours to the last field is in sync",
    live: objectOf({ a: 1, b: [1] }, [own]),
    found: "in-sync",
  },
  {
    reason: "after a start a value that we did not want is asked about",
    live: objectOf({ a: 2, b: [1] }, [own], { state: applied }),
    found: "ask start",
  },
  {
    reason: "after a start a field that we own and do not want any more is asked about",
    live: objectOf({ a: 1, b: [1], c: 1 }, [ours("spec/a", "spec/b", "spec/c")], { state: applied }),
    found: "ask start",
  },
  {
    reason: "after a start a field that we never applied is asked about",
    live: objectOf({ a: 1 }, [ours("spec/a")], { state: '{"v":1,"fields":{"asset":["/spec/a"]}}' }),
    found: "ask start",
  },
  {
    reason: "a field that somebody took from us while nobody looked is drift",
    live: objectOf({ a: 2, b: [1] }, [ours("spec/b"), theirs("spec/a")], { state: applied }),
    found: "drift /spec/a",
  },
  {
    reason: "and so is one that they removed",
    live: objectOf({ b: [1] }, [ours("spec/b")], { state: applied }),
    found: "drift /spec/a",
  },
  {
    reason: "a map of ours around what they took is no field more",
    live: objectOf({ a: 2, b: [1] }, [ours("spec", "spec/b"), theirs("spec/a")], { state: applied }),
    found: "drift /spec/a",
  },
  {
    reason: "beside an intent that changed it is not: the server has to say",
    live: objectOf({ a: 2, b: [2] }, [ours("spec/b"), theirs("spec/a")], { state: applied }),
    found: "ask start",
  },
  {
    reason: "what they took and set back has to be taken again",
    live: objectOf({ a: 1, b: [1] }, [ours("spec/b"), theirs("spec/a")], { state: applied }),
    found: "ask start",
  },
];

test.each(starts)("$reason", ({ live, found }) => expect(compared(live, {})).toBe(found));

test("an empty map does not mind what others put into it", () => {
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
    reason: "a reply like the object needs no write",
    reply: objectOf({ a: 1, b: [1] }, [own], { version: "9" }),
    isDue: false,
  },
  { reason: "a reply with another value does", reply: objectOf({ a: 2, b: [1] }, [own]), isDue: true },
  { reason: "so does one that gives up a field", reply: objectOf({ a: 1, b: [1] }, [ours("spec/a")]), isDue: true },
  {
    reason: "one that owns more does not: the field is as we want it",
    reply: objectOf({ a: 1, b: [1] }, [ours("spec/a", "spec/b", "spec/c")]),
    isDue: false,
  },
  {
    reason: "a status is no reason",
    reply: objectOf({ a: 1, b: [1] }, [own], { status: { phase: "new" } }),
    isDue: false,
  },
  { reason: "our memory is no reason", reply: objectOf({ a: 1, b: [1] }, [own], { state: "{}" }), isDue: false },
];

test.each(dues)("$reason", ({ reply, isDue }) => {
  expect(isWriteDue(objectOf({ a: 1, b: [1] }, [own]), reply)).toBe(isDue);
});
