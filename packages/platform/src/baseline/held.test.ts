import type { JsonMap } from "@virt/api";
import { type ShapeOf, writePath } from "@virt/engine";
import { expect, test } from "vitest";
import { judge } from "./judge.ts";
import { annotated, forgotten, keep, seenOf, thing } from "./kept-object.ts";
import type { ObjectMemory, ObjectSeen } from "./object-seen.ts";
import { SmallCluster } from "./small-cluster.ts";
import type { Held } from "./verdict.ts";

const now = 1_800_000_000_000;
const wanted = { a: 1, b: 1 };
const broken = { patch: "{" } as const;
const harmless = '[{"op":"add","path":"/spec/z","value":1}]';

function say(cluster: SmallCluster, said: Parameters<typeof annotated>[0]): void {
  const texts = Object.entries(annotated(said)["annotations"] as JsonMap);
  cluster.update(
    "person",
    texts.map(([key, text]) => [["f:metadata", "f:annotations", `f:${key}`], text] as const),
    now,
  );
}

/** An object that we have applied, on which somebody then said this. */
function agreed(said: Parameters<typeof annotated>[0]) {
  const cluster = new SmallCluster(thing({ theirs: 1 }));
  const { memory } = keep(cluster, seenOf(wanted));
  say(cluster, said);
  return { cluster, memory };
}

function held(seen: Partial<ObjectSeen>): Held {
  const verdict = judge(seenOf(wanted, { now, ...seen }));
  if (verdict.kind !== "held") throw new Error(verdict.kind);
  return verdict;
}

const told = ({ changes = [], opponents = [] }: Held) => ({
  changes: changes.map(({ path }) => writePath(path)),
  opponents,
});
const nothing = { changes: [], opponents: [] };
const theirs = { changes: ["/spec/a"], opponents: ['"kubectl" (Update)'] };

const sayings = [
  { reason: "by a patch", said: broken },
  { reason: "by pointers", said: { ignoreFields: "spec" } },
] as const;

test.each(sayings)("what others do to an object that is held $reason is told with their names", ({ said }) => {
  const { cluster, memory } = agreed(said);
  expect(told(held({ live: cluster.live, memory }))).toEqual(nothing);
  cluster.update("kubectl", [[["f:spec", "f:z"], 2]], now); // nothing of ours
  expect(told(held({ live: cluster.live, memory }))).toEqual(nothing);
  cluster.update("kubectl", [[["f:spec", "f:a"], 2]], now);
  expect(told(held({ live: cluster.live, memory }))).toEqual(theirs);
  expect(told(held({ live: cluster.live, memory: forgotten }))).toEqual(theirs); // a restart makes no difference
});

test("what a working patch had set is no drift while a broken one holds the object", () => {
  const patch = '[{"op":"replace","path":"/spec/a","value":7}]';
  const cluster = new SmallCluster(thing({}, annotated({ patch })));
  const { memory } = keep(cluster, seenOf(wanted));
  expect(cluster.live["spec"]).toEqual({ ...wanted, a: 7 });
  say(cluster, broken);
  expect(told(held({ live: cluster.live, memory }))).toEqual(nothing);
  expect(told(held({ live: cluster.live, memory: forgotten }))).toEqual(nothing);
});

/** The server refused what we wanted to send. */
function refused(patch: string, given: Partial<ObjectSeen> = {}) {
  const { cluster, memory } = agreed({ patch });
  const seen = seenOf(wanted, { live: cluster.live, memory, now, ...given });
  const verdict = judge(seen);
  if (verdict.kind !== "apply") throw new Error(verdict.kind);
  const { intent } = verdict.apply;
  const refusal = { intent, shapeOf: seen.shapeOf, message: "spec.z: no such field", askAgainAt: now + 1000 };
  return { cluster, apply: verdict.apply, memory: { ...memory, refused: refusal } satisfies ObjectMemory };
}

test("an apply of what a patch changed carries what would be applied without it, any other does not", () => {
  const { apply } = refused(harmless);
  expect(apply.intent["spec"]).toEqual({ ...wanted, z: 1 });
  expect(apply.unpatched?.["spec"]).toEqual(wanted);
  const plain = judge(seenOf(wanted));
  expect(plain.kind === "apply" && plain.apply).not.toHaveProperty("unpatched");
});

test("a patch that the server refuses holds the object in the server's words, and is asked about again later", () => {
  const { cluster, memory } = refused(harmless);
  const seen = { live: cluster.live, memory };
  expect(held(seen)).toMatchObject({
    reason: "InvalidPatch",
    message: "rejected by the API server: spec.z: no such field",
    inMs: 1000,
  });
  expect(judge(seenOf(wanted, { ...seen, now: now + 1000 })).kind).toBe("apply");
  cluster.update("kubectl", [[["f:spec", "f:a"], 2]], now);
  expect(told(held({ live: cluster.live, memory }))).toEqual(theirs);
});

test("another patch, other wishes of ours and another schema make the server be asked at once", () => {
  const { cluster, memory } = refused(harmless);
  const shapeOf: ShapeOf = () => undefined;
  expect(judge(seenOf(wanted, { live: cluster.live, memory, now, shapeOf })).kind).toBe("apply");
  expect(judge(seenOf({ ...wanted, c: 1 }, { live: cluster.live, memory, now })).kind).toBe("apply");
  say(cluster, { patch: harmless.replace("1", "2") });
  expect(judge(seenOf(wanted, { live: cluster.live, memory, now })).kind).toBe("apply");
  say(cluster, { patch: "" });
  expect(judge(seenOf(wanted, { live: cluster.live, memory, now })).kind).toBe("in-sync");
});

test("where versions of an object differ, whoever wrote a bad patch is told which one is served", () => {
  const versioned = { translate: (pointers: readonly (readonly string[])[]) => pointers };
  const served = "(the served version is v1)";
  const { cluster, memory } = agreed(broken);
  expect(held({ live: cluster.live, memory }).message).not.toContain(served);
  expect(held({ live: cluster.live, memory, ...versioned }).message).toContain(served);
  const later = refused(harmless, versioned);
  expect(held({ live: later.cluster.live, memory: later.memory, ...versioned }).message).toBe(
    `rejected by the API server: spec.z: no such field ${served}`,
  );
});
