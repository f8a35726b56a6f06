import type { JsonMap } from "@virt/api";
import { sha256, writePath } from "@virt/objects";
import { expect, test } from "vitest";
import {
  exampleObject,
  forgotten,
  observedOf,
  reconcileExample,
  withAnnotations,
} from "../testing/reconciled-example.ts";
import { paths, SmallCluster, withOwners } from "../testing/small-cluster.ts";
import { decideObject } from "./decide-object.ts";
import type { ObjectDecision } from "./decision.ts";
import type { ObservedObject } from "./observe-object.ts";
import { readState, writeState } from "./state.ts";

const second = 1000;
const now = 1_800_000_000_000;
const label = { "platform.kubevirt.io/managed-by": "virt-platform-operator" };
const empty = readState(undefined);
const pausedState = writeState({
  ...empty,
  paused: { field: "/spec/a", by: "x", count: 5, at: "2026-01-01T00:00:00Z" },
});

function agreed(spec: JsonMap, metadata: JsonMap = {}) {
  const cluster = new SmallCluster(exampleObject({ theirs: 1 }, metadata));
  const { memory } = reconcileExample(cluster, observedOf(spec));
  return { cluster, memory };
}

function decided(spec: JsonMap, seen: Partial<ObservedObject>): string {
  return summary(decideObject(observedOf(spec, seen)));
}

function summary(decision: ObjectDecision): string {
  switch (decision.kind) {
    case "apply":
      return `apply ${decision.apply.cause}`;
    case "paused":
      return `paused ${decision.reason}`;
    case "held":
      return `held ${decision.reason}`;
    case "wait":
      return `wait ${decision.why} ${decision.inMs}`;
    case "contested":
    case "in-sync":
      return `${decision.kind}${decision.contested.map(({ path }) => ` ${writePath(path)}`).join("")}`;
    case "deletion-fight":
    case "managed-by-other":
    case "mutated":
    case "not-there":
    case "pause":
    case "unmanaged":
      return decision.kind;
  }
}

const other = { labels: { "platform.kubevirt.io/managed-by": "somebody" } };
const steps: readonly {
  reason: string;
  live: JsonMap;
  seen?: Partial<ObservedObject>;
  spec?: JsonMap;
  decision: string;
}[] = [
  { reason: "an object with another manager's label is foreign", live: other, decision: "managed-by-other" },
  {
    reason: "adopts a foreign object if annotated",
    live: { ...other, ...withAnnotations({ adopt: "true" }) },
    decision: "apply intent",
  },
  {
    reason: "a foreign label comes before other annotations",
    live: { ...other, ...withAnnotations({ mode: "unmanaged" }) },
    decision: "managed-by-other",
  },
  { reason: "ignores an unmanaged object", live: withAnnotations({ mode: "unmanaged" }), decision: "unmanaged" },
  {
    reason: "unmanaged comes before paused",
    live: withAnnotations({ mode: " unmanaged ", paused: "true" }),
    decision: "unmanaged",
  },
  {
    reason: "an unknown mode puts the object on hold",
    live: withAnnotations({ mode: "off" }),
    decision: "held InvalidMode",
  },
  {
    reason: "a pause without our state is manual",
    live: withAnnotations({ paused: "true" }),
    decision: "paused manual",
  },
  {
    reason: "a pause with our state is an edit war",
    live: withAnnotations({ paused: "true", state: pausedState }),
    decision: "paused edit-war",
  },
  { reason: "false is not a pause", live: withAnnotations({ paused: "false" }), decision: "apply intent" },
  {
    reason: "a pause comes before a broken patch",
    live: withAnnotations({ paused: "true", patch: "{" }),
    decision: "paused manual",
  },
  {
    reason: "a broken patch puts the object on hold",
    live: withAnnotations({ patch: "{" }),
    decision: "held InvalidPatch",
  },
  {
    reason: "broken pointers put the object on hold",
    live: withAnnotations({ ignoreFields: "spec" }),
    decision: "held InvalidIgnoreFields",
  },
  {
    reason: "the patch is read first",
    live: withAnnotations({ patch: "{", ignoreFields: "spec" }),
    decision: "held InvalidPatch",
  },
  {
    reason: "waits for a token",
    live: {},
    seen: { memory: { ...forgotten, bucket: { fullAt: now + 60 * second } } },
    decision: "wait throttled 6000",
  },
  {
    reason: "writes a pending pause first",
    live: {},
    seen: { memory: { ...forgotten, unwrittenPause: { field: "/spec/a", by: "x", count: 5, at: "now" } } },
    decision: "pause",
  },
];

test.each(steps)("$reason", ({ live, seen = {}, spec = { a: 1 }, decision }) => {
  expect(decided(spec, { live: new SmallCluster(exampleObject({}, live)).live, ...seen })).toBe(decision);
});

test("creates a missing object with label and state, without a dry run", () => {
  const decision = decideObject(observedOf({ a: 1 }));
  if (decision.kind !== "apply") throw new Error(decision.kind);
  expect(decision.skipsDryRun).toBe(true);
  expect(decision.apply.cause).toBe("create");
  expect(decision.apply.object.metadata.labels).toEqual(label);
  expect(readState(decision.apply.object)).toEqual({ ...empty, created: true, fields: { asset: ["/spec/a"] } });
});

test("does not create an object that only others create", () =>
  expect(decided({ a: 1 }, { mayCreate: false })).toBe("not-there"));

test("a contested whole object is kept, a fieldwise one except for the field", () => {
  const live = new SmallCluster(exampleObject({ a: 2 })).live;
  expect(decided({ a: 1, b: 1 }, { live })).toBe("contested /spec/a");
  const decision = decideObject(observedOf({ a: 1, b: 1 }, { live, adoption: "fieldwise" }));
  if (decision.kind !== "apply") throw new Error(decision.kind);
  expect(decision.apply.object["spec"]).toEqual({ b: 1 });
  expect(decision.apply.contested.map(({ path }) => writePath(path))).toEqual(["/spec/a"]);
});

test("applies an adopted object", () => {
  const { live } = new SmallCluster(exampleObject({ a: 2 }, withAnnotations({ adopt: "true" })));
  expect(decided({ a: 1 }, { live })).toBe("apply intent");
});

test("hands over a field that a plan governs", () => {
  const { cluster, memory } = agreed({ a: 1, b: 1 });
  const decision = decideObject(observedOf({ a: 1, b: 1 }, { live: cluster.live, memory, governed: paths("spec/a") }));
  if (decision.kind !== "apply") throw new Error(decision.kind);
  expect(decision.apply.object["spec"]).toEqual({ b: 1 });
  expect(decision.apply.handOver.map(writePath)).toEqual(["/spec/a"]);
});

test("is in sync after foreign changes beside ours", () => {
  const { cluster, memory } = agreed({ a: 1 });
  cluster.update("them", [[["f:spec", "f:z"], 9]], now);
  expect(decided({ a: 1 }, { live: cluster.live, memory })).toBe("in-sync");
  expect(decided({ a: 1 }, { live: cluster.live })).toBe("in-sync");
});

test("a new intent is applied and is not a correction", () => {
  const { cluster, memory } = agreed({ a: 1 });
  const decision = decideObject(observedOf({ a: 2 }, { live: cluster.live, memory }));
  expect(summary(decision)).toBe("apply intent");
  expect(decision.kind === "apply" && readState(decision.apply.object).fights).toEqual({});
});

test("remembers a patch by digest, and its fields with the first asset", () => {
  const patch = '[{"op":"add","path":"/spec/z","value":1}]';
  const live = new SmallCluster(exampleObject({}, withAnnotations({ patch }))).live;
  const decision = decideObject(observedOf({ a: 1 }, { live }));
  if (decision.kind !== "apply") throw new Error(decision.kind);
  expect(decision.apply.object["spec"]).toEqual({ a: 1, z: 1 });
  expect(readState(decision.apply.object)).toMatchObject({
    patch: sha256(patch).slice(0, 12),
    fields: { asset: ["/spec/a", "/spec/z"] },
  });
  expect(decision.apply.object.metadata.annotations).not.toHaveProperty("platform.kubevirt.io/patch");
});

test("ignore-fields wins over a patch", () => {
  const said = withAnnotations({ patch: '[{"op":"add","path":"/spec/z","value":1}]', ignoreFields: "/spec/z" });
  const decision = decideObject(observedOf({ a: 1 }, { live: new SmallCluster(exampleObject({}, said)).live }));
  expect(decision.kind === "apply" && decision.apply.object["spec"]).toEqual({ a: 1 });
});

test("translates pointers of the other version and remembers them as written", () => {
  const live = new SmallCluster(exampleObject({}, withAnnotations({ ignoreFields: "/spec/old" }))).live;
  const decision = decideObject(observedOf({ a: 1, b: 1 }, { live, translate: () => [["spec", "a"]] }));
  expect(decision.kind === "apply" && decision.apply.object["spec"]).toEqual({ b: 1 });
  expect(decision.kind === "apply" && readState(decision.apply.object).released).toEqual(["/spec/old"]);
});

test("compares the next intent without our state", () => {
  const decision = decideObject(observedOf({ a: 1 }));
  expect(decision.kind === "apply" && decision.apply.intent).toEqual({
    ...exampleObject({ a: 1 }),
    metadata: { name: "thing", labels: label },
  });
});

test("fields without any manager are not contested", () => {
  expect(decided({ a: 1 }, { live: withOwners(exampleObject({ a: 2 }), []) })).toBe("apply intent");
});

const doneOf = (decision: ObjectDecision) =>
  decision.kind === "apply"
    ? { ...decision.apply.done, released: decision.apply.done.released.map(writePath) }
    : decision.kind;

test("reports a patch once per text, released fields, and an ended pause", () => {
  const patch = JSON.stringify([{ op: "replace", path: "/spec/a", value: 5 }]);
  const patched = agreed({ a: 1, b: 2 }, withAnnotations({ patch: patch.replace("5", "4") }));
  const { live } = patched.cluster;
  const annotations = { ...live.metadata.annotations, ...(withAnnotations({ patch })["annotations"] as object) };
  const again = { ...live, metadata: { ...live.metadata, annotations } };
  const seen = (given: Partial<ObservedObject>) => doneOf(decideObject(observedOf({ a: 1, b: 2 }, given)));
  expect(seen({ live: again, memory: patched.memory })).toEqual({
    patched: 1,
    released: [],
    adopted: [],
    isResumed: false,
  });

  const plain = agreed({ a: 1, b: 2 });
  const withNote = (note: JsonMap) => {
    const { metadata } = plain.cluster.live;
    const said = { ...metadata.annotations, ...(note["annotations"] as object) };
    return { live: { ...plain.cluster.live, metadata: { ...metadata, annotations: said } }, memory: plain.memory };
  };
  expect(seen(withNote(withAnnotations({ ignoreFields: "/spec/b" })))).toEqual({
    patched: 0,
    released: ["/spec/b"],
    adopted: [],
    isResumed: false,
  });
  const ended = withNote(withAnnotations({ state: pausedState, ignoreFields: "/spec/b" }));
  expect(doneOf(decideObject(observedOf({ a: 9, b: 2 }, ended)))).toMatchObject({ isResumed: true });
});
