import type { JsonMap } from "@virt/api";
import { expect, test } from "vitest";
import { objectAnnotations } from "../hco-annotations.ts";
import {
  exampleObject,
  forgotten,
  observedOf,
  reconcileExample,
  withAnnotations,
} from "../testing/reconciled-example.ts";
import { SmallCluster } from "../testing/small-cluster.ts";
import { decideObject } from "./decide-object.ts";
import type { ObjectMemory } from "./observe-object.ts";
import { readState, writeState } from "./state.ts";

const second = 1000;
const now = 1_800_000_000_000;
const empty = readState(undefined);

const mistakes: readonly { reason: string; live: JsonMap; memory?: ObjectMemory; decision: string }[] = [
  {
    reason: "another value of the pause puts the object on hold",
    live: withAnnotations({ paused: "True" }),
    decision: "held InvalidConfiguration",
  },
  {
    reason: "an unknown annotation of ours puts the object on hold",
    live: { annotations: { "platform.kubevirt.io/ignore-feilds": "/spec/a" } },
    decision: "held UnknownAnnotation",
  },
  {
    reason: "unmanaged comes before a mistake in another annotation",
    live: { annotations: { [objectAnnotations.mode]: "unmanaged", "platform.kubevirt.io/x": "" } },
    decision: "unmanaged",
  },
  {
    reason: "writes no pause while a mistake exists",
    live: withAnnotations({ adopt: "ture" }),
    memory: { ...forgotten, unwrittenPause: { field: "/spec/a", by: "x", count: 5, at: "now" } },
    decision: "held InvalidConfiguration",
  },
  {
    reason: "a pointer without a match puts the object on hold",
    live: withAnnotations({ ignoreFields: "/spec/none" }),
    decision: "held InvalidIgnoreFields",
  },
];

test.each(mistakes)("$reason", ({ live, memory = forgotten, decision }) => {
  const found = decideObject(observedOf({ a: 1 }, { live: new SmallCluster(exampleObject({}, live)).live, memory }));
  expect(found.kind === "held" ? `held ${found.reason}` : found.kind).toBe(decision);
});

const matches: readonly { reason: string; ignoreFields: string; state?: string; isHeld: boolean }[] = [
  { reason: "matches a field that only the intent has", ignoreFields: "/spec/a", isHeld: false },
  { reason: "matches a field that only the live object has", ignoreFields: "/spec/theirs", isHeld: false },
  {
    reason: "matches a released field that was removed since",
    ignoreFields: "/spec/gone",
    state: writeState({ ...empty, released: ["/spec/gone"] }),
    isHeld: false,
  },
  { reason: "matches a field that the schema allows", ignoreFields: "/spec/declared", isHeld: false },
  { reason: "does not match an unknown field", ignoreFields: "/spec/theirz", isHeld: true },
  { reason: "one pointer without a match is enough", ignoreFields: "/spec/a,/spec/none", isHeld: true },
];
test.each(matches)("$reason", ({ ignoreFields, state = writeState(empty), isHeld }) => {
  const { live } = new SmallCluster(exampleObject({ theirs: 1 }, withAnnotations({ ignoreFields, state })));
  expect(
    decideObject(observedOf({ a: 1 }, { live, adoption: "fieldwise", isDeclared: ([, name]) => name === "declared" }))
      .kind,
  ).toBe(isHeld ? "held" : "apply");
});

test("a hand-over is one write with one token for any number of fields", () => {
  const cluster = new SmallCluster(exampleObject({ theirs: 1 }));
  const { memory } = reconcileExample(cluster, observedOf({ a: 1, b: 2 }));
  const { metadata } = cluster.live;
  const annotations = { ...metadata.annotations, [objectAnnotations.ignoreFields]: "/spec/b" };
  const live = { ...cluster.live, metadata: { ...metadata, annotations } };
  const left = (tokens: number): ObjectMemory => ({ ...memory, bucket: { fullAt: now + (10 - tokens) * 6 * second } });
  const releasing = (tokens: number) => decideObject(observedOf({ a: 1, b: 2 }, { memory: left(tokens), live }));
  expect(releasing(1)).toEqual({ kind: "wait", why: "throttled", inMs: 6 * second });
  expect(releasing(2).kind).toBe("apply");
  expect(decideObject(observedOf({ a: 9, b: 2 }, { memory: left(1), live: cluster.live })).kind).toBe("apply");
});
