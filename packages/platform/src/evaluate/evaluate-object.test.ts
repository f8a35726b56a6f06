import type { JsonMap, KubeObject } from "@virt/api";
import { readHardware, readTopology } from "@virt/cluster";
import { noSchema, writePath } from "@virt/objects";
import { runsForCost } from "@virt/testkit/law-runs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Asset, defineAsset, nothing } from "../asset.ts";
import { readHco } from "../hco-fact.ts";
import type { ClusterFacts, Fact } from "./cluster-facts.ts";
import { evaluateObject } from "./evaluate-object.ts";

const ref = { apiVersion: "v1", kind: "Thing", name: "thing" };
const objectOf = (spec: JsonMap): KubeObject => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: "thing" },
  spec,
});

const part = (name: string, render: Asset["render"], reads: Asset["reads"] = {}): Asset =>
  defineAsset({
    name,
    feature: { name: "feature", description: "", maturity: "GA" },
    tier: "always-on",
    phase: 1,
    order: 1,
    target: ref,
    needs: [],
    dependency: "optional",
    adoption: "fieldwise",
    impact: "none",
    reads,
    render,
  });

const facts = (fact: Fact = { kind: "known", value: undefined }): ClusterFacts => ({
  hco: readHco(
    { apiVersion: "hco.kubevirt.io/v1", kind: "HyperConverged", metadata: { name: "h", namespace: "n" } },
    undefined,
  ),
  activation: { isActive: true, listed: undefined, unknown: [] },
  exclusions: [],
  brokenDevices: [],
  hardware: readHardware([]),
  hardwareChanges: [],
  topology: readTopology({ infrastructure: undefined, scheduler: undefined, nodes: [], crds: new Set() }),
  images: {},
  crds: new Set(),
  plans: [],
  purposesOf: () => [],
  released: {},
  hasNamespace: () => true,
  fact: () => fact,
  live: () => undefined,
  others: () => [],
  unlisted: () => undefined,
  ownNamespace: "own",
  unread: undefined,
});

const a = part("a", () => objectOf({ x: 1, m: { p: 1 } }));
const b = part("b", () => objectOf({ m: { q: 2 } }));
const evaluate = (assets: readonly Asset[], given = facts()) =>
  evaluateObject({ ref, assets }, { facts: given, shapeOf: noSchema, lastKnown: new Map() });

test("the parts that are active are merged, and who rendered what is kept", () => {
  const { wanted } = evaluate([a, b, part("off", () => nothing("no need"))]);
  expect(wanted).toEqual({
    kind: "object",
    baseline: objectOf({ x: 1, m: { p: 1, q: 2 } }),
    parts: [
      { asset: "a", object: objectOf({ x: 1, m: { p: 1 } }) },
      { asset: "b", object: objectOf({ m: { q: 2 } }) },
    ],
    governed: [],
  });
});

test("a part that wants another value is left out alone, and says where", () => {
  const { wanted, statuses } = evaluate([a, part("quarrels", () => objectOf({ x: 2 })), b]);
  expect(wanted.kind === "object" && wanted.parts.map(({ asset }) => asset)).toEqual(["a", "b"]);
  expect(statuses.get("quarrels")).toMatchObject({
    kind: "excluded",
    reason: "RenderError",
    details: expect.stringContaining("/spec/x"),
  });
});

test("without an active part there is no object", () => {
  expect(evaluate([part("off", () => nothing("no need"))]).wanted).toEqual({ kind: "excluded" });
});

test("an input that cannot be read holds the whole object: no part of it may go", () => {
  const reading = part("reading", () => objectOf({ y: 1 }), { topology: { read: "topology" } });
  const { wanted, statuses } = evaluate([a, reading], facts({ kind: "unavailable", why: "no answer" }));
  expect(wanted).toEqual({ kind: "held", reason: "InputUnavailable", message: "topology: no answer" });
  expect(statuses.get("a")?.kind).toBe("active");
});

test("a part whose input was read before keeps its last form, and the others go on", () => {
  const reading = part("reading", () => objectOf({ y: 1 }), { topology: { read: "topology" } });
  const given = facts({ kind: "unavailable", why: "no answer" });
  const lastKnown = new Map([["reading", { kind: "active", object: objectOf({ y: 7 }), leftOut: [] } as const]]);
  const { wanted, statuses } = evaluateObject(
    { ref, assets: [a, reading] },
    { facts: given, shapeOf: noSchema, lastKnown },
  );
  expect(wanted).toMatchObject({ kind: "object", baseline: objectOf({ x: 1, m: { p: 1 }, y: 7 }) });
  expect(statuses.get("reading")).toMatchObject({ kind: "held", reason: "InputUnavailable" });
});

test("what a part wanted in another version of the object is nothing to keep to: the whole object is held", () => {
  const reading = part("reading", () => objectOf({ y: 1 }), { topology: { read: "topology" } });
  const given = facts({ kind: "unavailable", why: "no answer" });
  const object = { ...objectOf({ y: 7 }), apiVersion: "v0" };
  const lastKnown = new Map([["reading", { kind: "active", object, leftOut: [] } as const]]);
  const { wanted } = evaluateObject({ ref, assets: [a, reading] }, { facts: given, shapeOf: noSchema, lastKnown });
  expect(wanted).toMatchObject({ kind: "held", reason: "InputUnavailable" });
});

test("a part that was not applied before is not applied because its input cannot be read", () => {
  const reading = part("reading", () => objectOf({ y: 1 }), { topology: { read: "topology" } });
  const given = facts({ kind: "unavailable", why: "no answer" });
  const lastKnown = new Map([["reading", { kind: "excluded", reason: "ConditionNotMet", details: "" } as const]]);
  const { wanted } = evaluateObject({ ref, assets: [a, reading] }, { facts: given, shapeOf: noSchema, lastKnown });
  expect(wanted).toMatchObject({ kind: "object", baseline: objectOf({ x: 1, m: { p: 1 } }) });
});

test("what is excluded stays so, whatever cannot be read", () => {
  const reading = part("reading", () => objectOf({ y: 1 }), { topology: { read: "topology" } });
  const lastKnown = new Map([["reading", { kind: "active", object: objectOf({ y: 7 }), leftOut: [] } as const]]);
  const given = { ...facts({ kind: "unavailable", why: "no answer" }), exclusions: undefined };
  const { wanted } = evaluateObject({ ref, assets: [reading] }, { facts: given, shapeOf: noSchema, lastKnown });
  expect(wanted).toEqual({ kind: "excluded" });
});

test("before nodes and plans are known nothing is concluded from their absence", () => {
  const { wanted } = evaluate([a], { ...facts(), unread: { name: "nodes", why: "not listed yet" } });
  expect(wanted).toEqual({ kind: "held", reason: "InputUnavailable", message: "nodes: not listed yet" });
});

test("the fields of a plan are named, for an object that is yielded field by field", () => {
  const plan = {
    metadata: { name: "plan" },
    spec: { profile: "p", action: "Apply" },
    status: { executedGeneration: 1, items: [{ targetRef: ref, managedFields: ["spec.m.p"] }] },
  };
  const { wanted } = evaluate([a], { ...facts(), plans: [plan] });
  expect(wanted.kind === "object" && wanted.governed.map(writePath)).toEqual(["/spec/m/p"]);
});

test("the same facts gives the same object", () => {
  const leaf = fc.oneof(fc.nat(2), fc.constantFrom("x", "y"));
  const spec = fc.dictionary(
    fc.constantFrom("a", "b", "c"),
    fc.oneof(leaf, fc.dictionary(fc.constantFrom("p", "q"), leaf)),
  );
  const law = fc.property(fc.array(spec, { maxLength: 4, size: "max" }), (specs) => {
    const assets = specs.map((one, at) => part(`asset-${at}`, () => objectOf(one)));
    const texts = [evaluate(assets), evaluate(assets)].map(({ wanted, statuses }) =>
      JSON.stringify([wanted, [...statuses]]),
    );
    expect(texts[0]).toBe(texts[1]);
  });
  fc.assert(law, runsForCost(4));
});
