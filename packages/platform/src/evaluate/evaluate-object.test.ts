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
  activation: { isActive: true, listed: undefined, unknown: [], source: "flag", text: "" },
  autopilot: { state: "Absent", since: "1970-01-01T00:00:00Z", namespace: "n" },
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

test("merges active parts and keeps their origin", () => {
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

test("omits only a conflicting part and reports its path", () => {
  const { wanted, statuses } = evaluate([a, part("quarrels", () => objectOf({ x: 2 })), b]);
  expect(wanted.kind === "object" && wanted.parts.map(({ asset }) => asset)).toEqual(["a", "b"]);
  expect(statuses.get("quarrels")).toMatchObject({
    kind: "excluded",
    reason: "RenderError",
    details: expect.stringContaining("/spec/x"),
  });
});

test("no active part means no object", () => {
  expect(evaluate([part("off", () => nothing("no need"))]).wanted).toEqual({ kind: "excluded" });
});

test("an unread input puts the whole object on hold", () => {
  const reading = part("reading", () => objectOf({ y: 1 }), { topology: { read: "topology" } });
  const { wanted, statuses } = evaluate([a, reading], facts({ kind: "unavailable", why: "no answer" }));
  expect(wanted).toEqual({ kind: "held", reason: "InputUnavailable", message: "topology: no answer" });
  expect(statuses.get("a")?.kind).toBe("active");
});

test("a part with an unread input keeps its last render", () => {
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

test("puts the object on hold if a kept part has another version", () => {
  const reading = part("reading", () => objectOf({ y: 1 }), { topology: { read: "topology" } });
  const given = facts({ kind: "unavailable", why: "no answer" });
  const object = { ...objectOf({ y: 7 }), apiVersion: "v0" };
  const lastKnown = new Map([["reading", { kind: "active", object, leftOut: [] } as const]]);
  const { wanted } = evaluateObject({ ref, assets: [a, reading] }, { facts: given, shapeOf: noSchema, lastKnown });
  expect(wanted).toMatchObject({ kind: "held", reason: "InputUnavailable" });
});

test("does not apply a new part with an unread input", () => {
  const reading = part("reading", () => objectOf({ y: 1 }), { topology: { read: "topology" } });
  const given = facts({ kind: "unavailable", why: "no answer" });
  const lastKnown = new Map([["reading", { kind: "excluded", reason: "ConditionNotMet", details: "" } as const]]);
  const { wanted } = evaluateObject({ ref, assets: [a, reading] }, { facts: given, shapeOf: noSchema, lastKnown });
  expect(wanted).toMatchObject({ kind: "object", baseline: objectOf({ x: 1, m: { p: 1 } }) });
});

test("excluded parts stay excluded with unread inputs", () => {
  const reading = part("reading", () => objectOf({ y: 1 }), { topology: { read: "topology" } });
  const lastKnown = new Map([["reading", { kind: "active", object: objectOf({ y: 7 }), leftOut: [] } as const]]);
  const given = { ...facts({ kind: "unavailable", why: "no answer" }), exclusions: undefined };
  const { wanted } = evaluateObject({ ref, assets: [reading] }, { facts: given, shapeOf: noSchema, lastKnown });
  expect(wanted).toEqual({ kind: "excluded" });
});

test("concludes nothing before nodes and plans are known", () => {
  const { wanted } = evaluate([a], { ...facts(), unread: { name: "nodes", why: "not listed yet" } });
  expect(wanted).toEqual({ kind: "held", reason: "InputUnavailable", message: "nodes: not listed yet" });
});

test("names the fields of a plan in a fieldwise object", () => {
  const plan = {
    metadata: { name: "plan" },
    spec: { profile: "p", action: "Apply" },
    status: { executedGeneration: 1, items: [{ targetRef: ref, managedFields: ["spec.m.p"] }] },
  };
  const { wanted } = evaluate([a], { ...facts(), plans: [plan] });
  expect(wanted.kind === "object" && wanted.governed.map(writePath)).toEqual(["/spec/m/p"]);
});

test("equal facts give the same object", () => {
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
