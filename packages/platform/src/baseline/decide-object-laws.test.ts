import type { Json, JsonMap, KubeObject } from "@virt/api";
import { canonicalJson, type Path, valueAt } from "@virt/objects";
import { runsForCost } from "@virt/testkit/law-runs";
import fc from "fast-check";
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
import { buildIntent } from "./intent.ts";
import type { ObjectMemory } from "./observe-object.ts";
import { readOverrides } from "./overrides.ts";
import { readState, writeState } from "./state.ts";

const minute = 60_000;
const start = 1_800_000_000_000;

const name = fc.constantFrom("a", "b", "c");
const leaf = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom("x", "y"), fc.array(fc.nat(2), { maxLength: 2 }));
const spec: fc.Arbitrary<JsonMap> = fc.dictionary(
  name,
  fc.oneof(leaf, fc.dictionary(name, leaf, { minKeys: 1, maxKeys: 2 })),
  { minKeys: 1, maxKeys: 3 },
);
const said = fc.record(
  {
    patch: fc.constantFrom(
      "[]",
      "{",
      '[{"op":"add","path":"/spec/z","value":7}]',
      '[{"op":"remove","path":"/metadata"}]',
    ),
    ignoreFields: fc.constantFrom("/spec/a", "/spec/b/c", "spec", '["/spec/c"]', "/spec"),
    mode: fc.constantFrom("unmanaged", "managed", "off"),
    adopt: fc.constantFrom("true", "false"),
    paused: fc.constantFrom("true", "false"),
    state: fc.constantFrom(
      "{",
      writeState({ ...readState(undefined), fields: { asset: ["/spec/a"] }, released: ["/spec/b"] }),
      writeState({
        ...readState(undefined),
        paused: { field: "/spec/a", by: "x", count: 5, at: "2026-01-01T00:00:00Z" },
      }),
    ),
  },
  { requiredKeys: [] },
);

/** Generates an object of another client, which the operator may have applied and the client edited since. */
const situation = fc
  .record({
    before: spec,
    wanted: spec,
    applied: fc.option(spec),
    edited: fc.option(fc.tuple(name, leaf)),
    said,
    adoption: fc.constantFrom("whole", "fieldwise"),
  })
  .map(({ before, wanted, applied, edited, said: texts, adoption }) => {
    const cluster = new SmallCluster(exampleObject(before, withAnnotations(texts)));
    let memory: ObjectMemory = forgotten;
    if (applied !== null) memory = reconcileExample(cluster, observedOf(applied)).memory;
    if (edited !== null) cluster.update("them", [[["f:spec", `f:${edited[0]}`], edited[1]]], start);
    return observedOf(wanted, { live: cluster.live, memory, adoption });
  });

function turned(value: Json): Json {
  if (Array.isArray(value)) return value.map((each) => turned(each as Json));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, turned(inner as Json)]),
  );
}

test("equal facts in any order give the same intent", () => {
  const law = fc.property(situation, (observed) => {
    const { live } = observed;
    const same = {
      ...observed,
      baseline: turned(observed.baseline) as KubeObject,
      live: live && (turned(live) as KubeObject),
    };
    const [first, second] = [observed, same].map((each) =>
      buildIntent(each, readOverrides(each.live), readState(each.live)),
    );
    expect(first?.kind).toBe(second?.kind);
    if (first?.kind !== "intended" || second?.kind !== "intended") return;
    expect(canonicalJson(first.object)).toBe(canonicalJson(second.object));
  });
  fc.assert(law, runsForCost(8));
});

test("applies nothing if unmanaged, paused, on hold or contested as a whole", () => {
  const law = fc.property(situation, (observed) => {
    const overrides = readOverrides(observed.live);
    const intended = buildIntent(observed, overrides, readState(observed.live));
    const isContested = intended.kind === "intended" && observed.adoption === "whole" && intended.contested.length > 0;
    const isMistaken = overrides.mistakes.length > 0;
    const isClosed =
      overrides.isUnmanaged || overrides.isPaused || isMistaken || intended.kind === "held" || isContested;
    const { kind } = decideObject(observed);
    return !isClosed || (kind !== "apply" && kind !== "pause");
  });
  fc.assert(law, runsForCost(8));
});

function valuesIn(value: Json | undefined): readonly Json[] {
  if (Array.isArray(value)) return value.flatMap((each) => valuesIn(each as Json));
  if (typeof value !== "object" || value === null) return value === undefined ? [] : [value];
  return Object.values(value).flatMap((inner) => valuesIn(inner as Json));
}

test("no request contains a value that only the live object has", () => {
  const foreign = fc.dictionary(name, fc.integer({ min: 1000, max: 1003 }), { maxKeys: 3 });
  const law = fc.property(situation, foreign, (observed, theirs) => {
    const cluster = new SmallCluster(observed.live ?? exampleObject({}));
    cluster.update(
      "them",
      Object.entries(theirs).map(([key, value]) => [["f:spec", `f:${key}`], value] as const),
      start,
    );
    const decision = decideObject({ ...observed, live: cluster.live });
    if (decision.kind !== "apply") return true;
    return valuesIn(decision.apply.object["spec"] as Json).every((value) => typeof value !== "number" || value < 1000);
  });
  fc.assert(law, runsForCost(8));
});

test("ignored fields keep their values through every write", { timeout: 240_000 }, () => {
  const pointers = fc.subarray(["/spec/a", "/spec/b", "/spec/c", "/spec/a/b"], { minLength: 1 });
  const law = fc.property(spec, pointers, (first, ignored) => {
    const cluster = new SmallCluster(exampleObject({}));
    const { memory } = reconcileExample(cluster, observedOf(first));
    const paths = ignored.map(
      (pointer): Path =>
        pointer
          .slice(1)
          .split("/")
          .map((each) => `f:${each}`),
    );
    cluster.update(
      "person",
      [[["f:metadata", "f:annotations", "f:platform.kubevirt.io/ignore-fields"], ignored.join(",")]],
      start,
    );
    const before = paths.map((path) => valueAt(cluster.live, path));
    const next = reconcileExample(cluster, observedOf(first, { memory }));
    reconcileExample(cluster, observedOf(first, { memory: next.memory }));
    expect(paths.map((path) => valueAt(cluster.live, path))).toEqual(before);
  });
  fc.assert(law, runsForCost(8));
});

type Opponent = { readonly pauses: readonly number[]; readonly removes: boolean; readonly forgets: readonly number[] };

/** Simulates an opponent that acts after each pause. The operator may lose its memory before any of them. */
function fight({ pauses, removes, forgets }: Opponent) {
  const cluster = new SmallCluster(exampleObject({}));
  let now = start;
  let { memory } = reconcileExample(cluster, observedOf({ a: 1, b: 1 }, { now }));
  const corrections: number[] = [];
  let markers = 0;
  const reconcile = () => {
    const kept = reconcileExample(cluster, observedOf({ a: 1, b: 1 }, { now, memory }));
    memory = kept.memory;
    if (kept.isWritten && kept.decision === "apply") corrections.push(now);
    if (kept.isWritten && kept.decision === "pause") markers++;
    return kept;
  };
  for (const [at, pause] of pauses.entries()) {
    now += pause;
    cluster.update("stubborn", [[["f:spec", "f:a"], removes ? undefined : 2 + at]], now);
    if (forgets.includes(at)) memory = forgotten;
    const kept = reconcile();
    if (kept.decision === "wait") {
      now += kept.inMs ?? 0;
      reconcile();
    }
  }
  return { corrections, markers, live: cluster.live };
}

test("an edit war costs at most five corrections an hour and one pause", { timeout: 240_000 }, () => {
  const pace = fc.oneof(fc.constant(0), fc.nat(2000), fc.nat(12 * minute));
  const opponent = fc.record({
    pauses: fc.array(pace, { minLength: 1, maxLength: 8, size: "max" }),
    removes: fc.boolean(),
    forgets: fc.array(fc.nat(7), { maxLength: 3 }),
  });
  const law = fc.property(opponent, (given) => {
    const { corrections, markers, live } = fight(given);
    const inHour = (from: number) => corrections.filter((time) => time >= from && time - from <= 60 * minute).length;
    expect(Math.max(0, ...corrections.map(inHour))).toBeLessThanOrEqual(5);
    expect(markers).toBeLessThanOrEqual(1);
    if (markers === 0) return;
    expect(corrections.length).toBeGreaterThanOrEqual(5); // no pause before five corrections
    expect(readOverrides(live).isPaused).toBe(true);
    expect(readState(live).paused?.field).toBe("/spec/a");
  });
  fc.assert(law, runsForCost(8));
});

test("corrects 20 fields at once, and many opponents cause no pause", () => {
  const wanted = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`f${at}`, at]));
  const cluster = new SmallCluster(exampleObject({}));
  let { memory } = reconcileExample(cluster, observedOf(wanted));
  let now = start;
  for (let opponent = 0; opponent < 30; opponent++) {
    now += 6000;
    cluster.update(
      `manager-${opponent}`,
      Object.keys(wanted).map((key) => [["f:spec", `f:${key}`], -1] as const),
      now,
    );
    const kept = reconcileExample(cluster, observedOf(wanted, { now, memory }));
    memory = kept.memory;
    expect(kept.decision).toBe("apply");
  }
  expect(readState(cluster.live).paused).toBeUndefined();
});
