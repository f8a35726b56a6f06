import type { JsonMap } from "@virt/api";
import { sha256, writePath } from "@virt/engine";
import { expect, test } from "vitest";
import { judge } from "./judge.ts";
import { annotated, forgotten, keep, seenOf, thing } from "./kept-object.ts";
import type { ObjectSeen } from "./object-seen.ts";
import { paths, SmallCluster, withOwners } from "./small-cluster.ts";
import { readState, writeState } from "./state.ts";
import type { Verdict } from "./verdict.ts";

const second = 1000;
const now = 1_800_000_000_000;
const label = { "platform.kubevirt.io/managed-by": "virt-platform-operator" };
const empty = readState(undefined);
const pausedState = writeState({
  ...empty,
  paused: { field: "/spec/a", by: "x", count: 5, at: "2026-01-01T00:00:00Z" },
});

/** An object that we have applied, as it is in the cluster. */
function agreed(spec: JsonMap, metadata: JsonMap = {}) {
  const cluster = new SmallCluster(thing({ theirs: 1 }, metadata));
  const { memory } = keep(cluster, seenOf(spec));
  return { cluster, memory };
}

function judged(spec: JsonMap, seen: Partial<ObjectSeen>): string {
  return summary(judge(seenOf(spec, seen)));
}

function summary(verdict: Verdict): string {
  switch (verdict.kind) {
    case "apply":
      return `apply ${verdict.apply.cause}`;
    case "paused":
      return `paused ${verdict.reason}`;
    case "held":
      return `held ${verdict.reason}`;
    case "wait":
      return `wait ${verdict.why} ${verdict.inMs}`;
    case "contested":
    case "in-sync":
      return `${verdict.kind}${verdict.contested.map(({ path }) => ` ${writePath(path)}`).join("")}`;
    case "deletion-fight":
    case "managed-by-other":
    case "not-there":
    case "pause":
    case "unmanaged":
      return verdict.kind;
  }
}

const other = { labels: { "platform.kubevirt.io/managed-by": "somebody" } };
const steps: readonly { reason: string; live: JsonMap; seen?: Partial<ObjectSeen>; spec?: JsonMap; verdict: string }[] =
  [
    { reason: "an object with the label of somebody else is theirs", live: other, verdict: "managed-by-other" },
    {
      reason: "unless a person wants it adopted",
      live: { ...other, ...annotated({ adopt: "true" }) },
      verdict: "apply intent",
    },
    {
      reason: "that it is theirs comes before all they say",
      live: { ...other, ...annotated({ mode: "unmanaged" }) },
      verdict: "managed-by-other",
    },
    { reason: "an unmanaged object is left alone", live: annotated({ mode: "unmanaged" }), verdict: "unmanaged" },
    {
      reason: "unmanaged comes before paused",
      live: annotated({ mode: " unmanaged ", paused: "true" }),
      verdict: "unmanaged",
    },
    { reason: "a mode that nobody knows is normal", live: annotated({ mode: "off" }), verdict: "apply intent" },
    {
      reason: "a marker without our memory is a person's pause",
      live: annotated({ paused: "true" }),
      verdict: "paused manual",
    },
    {
      reason: "a marker with it is an edit war",
      live: annotated({ paused: "true", state: pausedState }),
      verdict: "paused edit-war",
    },
    {
      reason: "another value of the marker pauses nothing",
      live: annotated({ paused: "yes" }),
      verdict: "apply intent",
    },
    {
      reason: "paused comes before a broken patch",
      live: annotated({ paused: "true", patch: "{" }),
      verdict: "paused manual",
    },
    { reason: "a broken patch holds the object", live: annotated({ patch: "{" }), verdict: "held InvalidPatch" },
    {
      reason: "broken pointers hold the object",
      live: annotated({ ignoreFields: "spec" }),
      verdict: "held InvalidIgnoreFields",
    },
    {
      reason: "the patch is read first",
      live: annotated({ patch: "{", ignoreFields: "spec" }),
      verdict: "held InvalidPatch",
    },
    {
      reason: "an empty bucket makes it wait",
      live: {},
      seen: { memory: { ...forgotten, bucket: { fullAt: now + 60 * second } } },
      verdict: "wait throttled 6000",
    },
    {
      reason: "a pause that was not written yet is written first",
      live: {},
      seen: { memory: { ...forgotten, unwrittenPause: { field: "/spec/a", by: "x", count: 5, at: "now" } } },
      verdict: "pause",
    },
  ];

test.each(steps)("$reason", ({ live, seen = {}, spec = { a: 1 }, verdict }) => {
  expect(judged(spec, { live: new SmallCluster(thing({}, live)).live, ...seen })).toBe(verdict);
});

test("an object that is not there is made, with our label and memory, and without asking before", () => {
  const verdict = judge(seenOf({ a: 1 }));
  if (verdict.kind !== "apply") throw new Error(verdict.kind);
  expect(verdict.skipsDryRun).toBe(true);
  expect(verdict.apply.cause).toBe("create");
  expect(verdict.apply.object.metadata.labels).toEqual(label);
  expect(readState(verdict.apply.object)).toEqual({ ...empty, created: true, fields: { asset: ["/spec/a"] } });
});

test("one that only others make is not", () => expect(judged({ a: 1 }, { mayCreate: false })).toBe("not-there"));

test("a whole object with one contested field is left alone, a fieldwise one but for that field", () => {
  const live = new SmallCluster(thing({ a: 2 })).live;
  expect(judged({ a: 1, b: 1 }, { live })).toBe("contested /spec/a");
  const verdict = judge(seenOf({ a: 1, b: 1 }, { live, adoption: "fieldwise" }));
  if (verdict.kind !== "apply") throw new Error(verdict.kind);
  expect(verdict.apply.object["spec"]).toEqual({ b: 1 });
  expect(verdict.apply.contested.map(({ path }) => writePath(path))).toEqual(["/spec/a"]);
});

test("adopted, it is taken", () => {
  const { live } = new SmallCluster(thing({ a: 2 }, annotated({ adopt: "true" })));
  expect(judged({ a: 1 }, { live })).toBe("apply intent");
});

test("a plan that governs a field has it, and it is handed over", () => {
  const { cluster, memory } = agreed({ a: 1, b: 1 });
  const verdict = judge(seenOf({ a: 1, b: 1 }, { live: cluster.live, memory, governed: paths("spec/a") }));
  if (verdict.kind !== "apply") throw new Error(verdict.kind);
  expect(verdict.apply.object["spec"]).toEqual({ b: 1 });
  expect(verdict.apply.handOver.map(writePath)).toEqual(["/spec/a"]);
});

test("what we applied is in sync, whatever others do beside it", () => {
  const { cluster, memory } = agreed({ a: 1 });
  cluster.update("them", [[["f:spec", "f:z"], 9]], now);
  expect(judged({ a: 1 }, { live: cluster.live, memory })).toBe("in-sync");
  expect(judged({ a: 1 }, { live: cluster.live })).toBe("in-sync");
});

test("a new intent is applied, and is no correction", () => {
  const { cluster, memory } = agreed({ a: 1 });
  const verdict = judge(seenOf({ a: 2 }, { live: cluster.live, memory }));
  expect(summary(verdict)).toBe("apply intent");
  expect(verdict.kind === "apply" && readState(verdict.apply.object).fights).toEqual({});
});

test("a patch is remembered by its digest, and its fields go with the first asset", () => {
  const patch = '[{"op":"add","path":"/spec/z","value":1}]';
  const live = new SmallCluster(thing({}, annotated({ patch }))).live;
  const verdict = judge(seenOf({ a: 1 }, { live }));
  if (verdict.kind !== "apply") throw new Error(verdict.kind);
  expect(verdict.apply.object["spec"]).toEqual({ a: 1, z: 1 });
  expect(readState(verdict.apply.object)).toMatchObject({
    patch: sha256(patch).slice(0, 12),
    fields: { asset: ["/spec/a", "/spec/z"] },
  });
  expect(verdict.apply.object.metadata.annotations).not.toHaveProperty("platform.kubevirt.io/patch");
});

test("what a patch adds and the mask names is left out: the mask wins", () => {
  const said = annotated({ patch: '[{"op":"add","path":"/spec/z","value":1}]', ignoreFields: "/spec/z" });
  const verdict = judge(seenOf({ a: 1 }, { live: new SmallCluster(thing({}, said)).live }));
  expect(verdict.kind === "apply" && verdict.apply.object["spec"]).toEqual({ a: 1 });
});

test("pointers of the other version are translated, and remembered as they were written", () => {
  const live = new SmallCluster(thing({}, annotated({ ignoreFields: "/spec/old" }))).live;
  const verdict = judge(seenOf({ a: 1, b: 1 }, { live, translate: () => [["spec", "a"]] }));
  expect(verdict.kind === "apply" && verdict.apply.object["spec"]).toEqual({ b: 1 });
  expect(verdict.kind === "apply" && readState(verdict.apply.object).released).toEqual(["/spec/old"]);
});

test("what is compared with the next intent is this one without our memory", () => {
  const verdict = judge(seenOf({ a: 1 }));
  expect(verdict.kind === "apply" && verdict.apply.intent).toEqual({
    ...thing({ a: 1 }),
    metadata: { name: "thing", labels: label },
  });
});

test("in the fields of an object that nobody manages any more nothing is contested", () => {
  expect(judged({ a: 1 }, { live: withOwners(thing({ a: 2 }), []) })).toBe("apply intent");
});

const doneOf = (verdict: Verdict) =>
  verdict.kind === "apply"
    ? { ...verdict.apply.done, released: verdict.apply.done.released.map(writePath) }
    : verdict.kind;

test("what an apply does beside the values is said: a patch once per text, fields let go, a pause that is over", () => {
  const patch = JSON.stringify([{ op: "replace", path: "/spec/a", value: 5 }]);
  const patched = agreed({ a: 1, b: 2 }, annotated({ patch: patch.replace("5", "4") }));
  const { live } = patched.cluster;
  const annotations = { ...live.metadata.annotations, ...(annotated({ patch })["annotations"] as object) };
  const again = { ...live, metadata: { ...live.metadata, annotations } };
  const seen = (given: Partial<ObjectSeen>) => doneOf(judge(seenOf({ a: 1, b: 2 }, given)));
  expect(seen({ live: again, memory: patched.memory })).toEqual({ patched: 1, released: [], isResumed: false });

  const plain = agreed({ a: 1, b: 2 });
  const withNote = (note: JsonMap) => {
    const { metadata } = plain.cluster.live;
    const said = { ...metadata.annotations, ...(note["annotations"] as object) };
    return { live: { ...plain.cluster.live, metadata: { ...metadata, annotations: said } }, memory: plain.memory };
  };
  expect(seen(withNote(annotated({ ignoreFields: "/spec/b" })))).toEqual({
    patched: 0,
    released: ["/spec/b"],
    isResumed: false,
  });
  const ended = withNote(annotated({ state: pausedState, ignoreFields: "/spec/none" }));
  expect(doneOf(judge(seenOf({ a: 9, b: 2 }, ended)))).toMatchObject({ isResumed: true });
});
