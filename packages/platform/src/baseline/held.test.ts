import type { JsonMap } from "@virt/api";
import { type ShapeOf, writePath } from "@virt/objects";
import { expect, test } from "vitest";
import {
  exampleObject,
  forgotten,
  observedOf,
  reconcileExample,
  withAnnotations,
} from "../testing/reconciled-example.ts";
import { SmallCluster } from "../testing/small-cluster.ts";
import { decideObject } from "./decide-object.ts";
import type { HeldDecision } from "./decision.ts";
import type { ObjectMemory, ObservedObject } from "./observe-object.ts";

const now = 1_800_000_000_000;
const wanted = { a: 1, b: 1 };
const broken = { patch: "{" } as const;
const harmless = '[{"op":"add","path":"/spec/z","value":1}]';

function annotate(cluster: SmallCluster, said: Parameters<typeof withAnnotations>[0]): void {
  const texts = Object.entries(withAnnotations(said)["annotations"] as JsonMap);
  cluster.update(
    "person",
    texts.map(([key, text]) => [["f:metadata", "f:annotations", `f:${key}`], text] as const),
    now,
  );
}

function agreed(said: Parameters<typeof withAnnotations>[0]) {
  const cluster = new SmallCluster(exampleObject({ theirs: 1 }));
  const { memory } = reconcileExample(cluster, observedOf(wanted));
  annotate(cluster, said);
  return { cluster, memory };
}

function held(seen: Partial<ObservedObject>): HeldDecision {
  const decision = decideObject(observedOf(wanted, { now, ...seen }));
  if (decision.kind !== "held") throw new Error(decision.kind);
  return decision;
}

const summarizeChanges = ({ changes = [], opponents = [] }: HeldDecision) => ({
  changes: changes.map(({ path }) => writePath(path)),
  opponents,
});
const nothing = { changes: [], opponents: [] };
const theirs = { changes: ["/spec/a"], opponents: ['"kubectl" (Update)'] };

const overrides = [
  { reason: "by a patch", said: broken },
  { reason: "by pointers", said: { ignoreFields: "spec" } },
] as const;

test.each(overrides)("reports foreign changes to an object on hold $reason", ({ said }) => {
  const { cluster, memory } = agreed(said);
  expect(summarizeChanges(held({ live: cluster.live, memory }))).toEqual(nothing);
  cluster.update("kubectl", [[["f:spec", "f:z"], 2]], now); // not a field of the operator
  expect(summarizeChanges(held({ live: cluster.live, memory }))).toEqual(nothing);
  cluster.update("kubectl", [[["f:spec", "f:a"], 2]], now);
  expect(summarizeChanges(held({ live: cluster.live, memory }))).toEqual(theirs);
  expect(summarizeChanges(held({ live: cluster.live, memory: forgotten }))).toEqual(theirs); // a restart makes no difference
});

test("the previous patch's values are not drift while a broken one waits", () => {
  const patch = '[{"op":"replace","path":"/spec/a","value":7}]';
  const cluster = new SmallCluster(exampleObject({}, withAnnotations({ patch })));
  const { memory } = reconcileExample(cluster, observedOf(wanted));
  expect(cluster.live["spec"]).toEqual({ ...wanted, a: 7 });
  annotate(cluster, broken);
  expect(summarizeChanges(held({ live: cluster.live, memory }))).toEqual(nothing);
  expect(summarizeChanges(held({ live: cluster.live, memory: forgotten }))).toEqual(nothing);
});

function refused(patch: string, given: Partial<ObservedObject> = {}) {
  const { cluster, memory } = agreed({ patch });
  const observed = observedOf(wanted, { live: cluster.live, memory, now, ...given });
  const decision = decideObject(observed);
  if (decision.kind !== "apply") throw new Error(decision.kind);
  const { intent } = decision.apply;
  const refusal = { intent, shapeOf: observed.shapeOf, message: "spec.z: no such field", askAgainAt: now + 1000 };
  return { cluster, apply: decision.apply, memory: { ...memory, refused: refusal } satisfies ObjectMemory };
}

test("an apply carries the unpatched object only if a patch changed it", () => {
  const { apply } = refused(harmless);
  expect(apply.intent["spec"]).toEqual({ ...wanted, z: 1 });
  expect(apply.unpatched?.intent["spec"]).toEqual(wanted);
  const plain = decideObject(observedOf(wanted));
  expect(plain.kind === "apply" && plain.apply).not.toHaveProperty("unpatched");
});

test("holds a patch that the server rejects and retries later", () => {
  const { cluster, memory } = refused(harmless);
  const seen = { live: cluster.live, memory };
  expect(held(seen)).toMatchObject({
    reason: "InvalidPatch",
    message: "rejected by the API server: spec.z: no such field",
    inMs: 1000,
  });
  expect(decideObject(observedOf(wanted, { ...seen, now: now + 1000 })).kind).toBe("apply");
  cluster.update("kubectl", [[["f:spec", "f:a"], 2]], now);
  expect(summarizeChanges(held({ live: cluster.live, memory }))).toEqual(theirs);
});

test("another patch, baseline or schema retries at once", () => {
  const { cluster, memory } = refused(harmless);
  const shapeOf: ShapeOf = () => undefined;
  expect(decideObject(observedOf(wanted, { live: cluster.live, memory, now, shapeOf })).kind).toBe("apply");
  expect(decideObject(observedOf({ ...wanted, c: 1 }, { live: cluster.live, memory, now })).kind).toBe("apply");
  annotate(cluster, { patch: harmless.replace("1", "2") });
  expect(decideObject(observedOf(wanted, { live: cluster.live, memory, now })).kind).toBe("apply");
  annotate(cluster, { patch: "" });
  expect(decideObject(observedOf(wanted, { live: cluster.live, memory, now })).kind).toBe("in-sync");
});

test("reports the served version to the author of a bad patch", () => {
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
