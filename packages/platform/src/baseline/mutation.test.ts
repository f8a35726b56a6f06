import type { JsonMap } from "@virt/api";
import { noSchema } from "@virt/objects";
import { expect, test } from "vitest";
import {
  exampleObject,
  forgotten,
  observedOf,
  reconcileExample,
  withAnnotations,
} from "../testing/reconciled-example.ts";
import { paths, SmallCluster } from "../testing/small-cluster.ts";
import { decideObject } from "./decide-object.ts";
import { askedAnew, describeMutation, mutatedFields, rememberAnswer } from "./mutation.ts";
import type { ObservedObject } from "./observe-object.ts";
import { shapeFrom } from "./schema.ts";

const second = 1000;
const now = 1_800_000_000_000;
const plain: Pick<ObservedObject, "shapeOf" | "defaultOf"> = { shapeOf: noSchema, defaultOf: () => undefined };
const fields = (intent: JsonMap, answer: JsonMap, schema = plain) =>
  describeMutation(mutatedFields(exampleObject(intent), exampleObject(answer), schema));

test("reports a field that is stored differently with both values", () => {
  expect(fields({ mode: "Automatic", a: 1 }, { mode: "Predictive", a: 1 })).toBe(
    '/spec/mode is "Predictive" (applied: "Automatic")',
  );
  expect(fields({ mode: "Automatic" }, {})).toBe('/spec/mode is absent (applied: "Automatic")');
});

test("foreign fields and equal forms of a value are not mutations", () => {
  expect(fields({ a: { b: 1 }, wait: "5m" }, { a: { b: 1, c: 2 }, wait: "5m0s", theirs: true })).toBe("");
  expect(fields({ hooks: {} }, { hooks: { theirs: 1 } })).toBe("");
});

test("in a merged list, only changes of our elements are mutations", () => {
  const ports = { type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] };
  const shapeOf = shapeFrom({ properties: { spec: { properties: { ports } } } });
  const merged = { ...plain, shapeOf };
  const ours = { ports: [{ name: "a", port: 1 }] };
  expect(
    fields(
      ours,
      {
        ports: [
          { name: "theirs", port: 9 },
          { name: "a", port: 1 },
        ],
      },
      merged,
    ),
  ).toBe("");
  expect(fields(ours, { ports: [{ name: "a", port: 2 }] }, merged)).toBe("/spec/ports/name=a/port is 2 (applied: 1)");
});

test("defaults in an atomic list are not mutations", () => {
  const defaultOf = (path: readonly string[]) => (path.at(-1) === "f:protocol" ? "TCP" : undefined);
  const ours = { ports: [{ port: 1 }] };
  expect(fields(ours, { ports: [{ port: 1, protocol: "TCP" }] }, { ...plain, defaultOf })).toBe("");
  expect(fields(ours, { ports: [{ port: 1, protocol: "UDP" }] }, { ...plain, defaultOf })).not.toBe("");
});

const seen = (times: number, at = now) => {
  const intent = exampleObject({ a: 1 });
  const answer = exampleObject({ a: 2 });
  let memory = forgotten;
  for (let count = 0; count < times; count++)
    memory = rememberAnswer(memory, { intent, answer, seen: observedOf({ a: 1 }, { monotonicMs: at }) });
  return memory;
};

test.each([
  [1, 2],
  [2, 4],
  [5, 32],
  [40, 1800],
])("after %i times in a row, retries in %i seconds", (times, seconds) => {
  expect(seen(times).mutation?.askAgainAt).toBe(now + seconds * second);
});

test("another intent restarts the count, and a correct answer ends it", () => {
  const known = seen(6);
  const other = {
    intent: exampleObject({ a: 3 }),
    answer: exampleObject({ a: 2 }),
    seen: observedOf({ a: 3 }, { monotonicMs: now }),
  };
  expect(rememberAnswer(known, other).mutation?.times).toBe(1);
  const healed = {
    intent: exampleObject({ a: 1 }),
    answer: exampleObject({ a: 1 }),
    seen: observedOf({ a: 1 }, { monotonicMs: now }),
  };
  expect(rememberAnswer(known, healed).mutation).toBeUndefined();
});

test("changed webhooks retry at once, then soon", () => {
  const anew = askedAnew(seen(9));
  expect(anew.mutation?.askAgainAt).toBe(Number.NEGATIVE_INFINITY);
  const again = {
    intent: exampleObject({ a: 1 }),
    answer: exampleObject({ a: 2 }),
    seen: observedOf({ a: 1 }, { monotonicMs: now }),
  };
  expect(rememberAnswer(anew, again).mutation?.askAgainAt).toBe(now + 2 * second);
});

function mutated() {
  const cluster = new SmallCluster(exampleObject({}, withAnnotations({})));
  const { memory } = reconcileExample(cluster, observedOf({ a: 1, b: 1 }));
  cluster.update("virt-platform-operator", [[paths("spec/a")[0] ?? [], 2]], now);
  const { sent = exampleObject({}) } = memory;
  const answer = cluster.live;
  return {
    cluster,
    memory: rememberAnswer(memory, { intent: sent, answer, seen: observedOf({ a: 1, b: 1 }, { monotonicMs: now }) }),
  };
}

test("an object changed by admission is not rewritten before its time", () => {
  const { cluster, memory } = mutated();
  const decided = (at: number) =>
    decideObject(observedOf({ a: 1, b: 1 }, { live: cluster.live, memory, monotonicMs: at }));
  expect(decided(now + second)).toMatchObject({ kind: "mutated", inMs: second });
  expect(decided(now + 2 * second)).toMatchObject({ kind: "apply", apply: { cause: "intent" } });
});

test("its own field never counts as an edit war, another field does", () => {
  const { cluster, memory } = mutated();
  cluster.update("webhook", [[paths("spec/a")[0] ?? [], 3]], now);
  const decided = () => decideObject(observedOf({ a: 1, b: 1 }, { live: cluster.live, memory, now, monotonicMs: now }));
  expect(decided().kind).toBe("mutated");
  cluster.update("person", [[paths("spec/b")[0] ?? [], 3]], now);
  const decision = decided();
  expect(decision).toMatchObject({ kind: "apply", apply: { cause: "drift" } });
  expect(decision.kind === "apply" && decision.apply.changes.map(({ path }) => path.at(-1))).toEqual(["f:b"]);
});
