import { readHardware, readTopology } from "@virt/cluster";
import { expect, test } from "vitest";
import { defineAsset } from "../asset.ts";
import { readExclusions } from "../disabled-resources.ts";
import type { ClusterFacts } from "../evaluate/cluster-facts.ts";
import { readHco } from "../hco-fact.ts";
import { isBarred, prunedParts } from "./removal.ts";

const target = { apiVersion: "example.com/v1", kind: "Thing", name: "thing" };
const part = (name: string, adoption: "whole" | "fieldwise", purpose?: string) =>
  defineAsset({
    name,
    feature: { name, description: "", maturity: "GA" },
    tier: "always-on",
    phase: 1,
    order: 1,
    target,
    needs: [],
    dependency: "optional",
    switch: { annotation: `enable-${name}`, default: "on" },
    ...(purpose !== undefined && { purpose }),
    adoption,
    impact: "none",
    reads: {},
    render: () => ({ ...target, metadata: { name: "thing" } }),
  });
const assets = [part("one", "whole"), part("two", "whole", "swap")];

const hcoAnnotated = (said: Readonly<Record<string, string>>) => {
  const entries = Object.entries(said).map(([key, text]) => [`platform.kubevirt.io/${key}`, text] as const);
  const metadata = { name: "h", namespace: "n", annotations: Object.fromEntries(entries) };
  return readHco({ apiVersion: "hco.kubevirt.io/v1", kind: "HyperConverged", metadata }, undefined);
};
const off = { prune: "true", "enable-one": "false", "enable-two": "false" };

const rules = (text: string) => {
  const read = readExclusions(text);
  return read.kind === "rules" ? read.rules : undefined;
};
const plan = (profile: string, name: string) => ({
  metadata: { name: "plan" },
  spec: { profile, action: "Apply" },
  status: { executedGeneration: 1, items: [{ targetRef: { ...target, name } }] },
});

const facts: ClusterFacts = {
  hco: hcoAnnotated(off),
  activation: { isActive: true, listed: undefined, unknown: [], source: "flag", text: "" },
  autopilot: { state: "Absent", since: "1970-01-01T00:00:00Z", namespace: "cnv" },
  exclusions: [],
  brokenDevices: [],
  hardware: readHardware([]),
  hardwareChanges: [],
  topology: readTopology({ infrastructure: undefined, scheduler: undefined, nodes: [], crds: new Set() }),
  images: {},
  crds: new Set(),
  plans: [],
  purposesOf: (profile) => (profile === "density" ? ["swap"] : []),
  released: {},
  hasNamespace: () => false,
  fact: () => ({ kind: "unavailable", why: "the server does not answer" }),
  live: () => undefined,
  others: () => [],
  unlisted: () => undefined,
  ownNamespace: "own",
  unread: undefined,
};

type Case = { readonly reason: string; readonly given: Partial<ClusterFacts>; readonly pruned: readonly string[] };
const both = ["one", "two"];
const cases: readonly Case[] = [
  { reason: "disabled with pruning", given: {}, pruned: both },
  { reason: "enabled", given: { hco: hcoAnnotated({ ...off, "enable-one": "true" }) }, pruned: ["two"] },
  {
    reason: "an unreadable switch is not off",
    given: { hco: hcoAnnotated({ ...off, "enable-one": "False" }) },
    pruned: ["two"],
  },
  { reason: "without pruning", given: { hco: hcoAnnotated({ ...off, prune: "false" }) }, pruned: [] },
  { reason: "a value that is not a boolean", given: { hco: hcoAnnotated({ ...off, prune: "yes" }) }, pruned: [] },
  { reason: "without a HyperConverged", given: { hco: undefined }, pruned: [] },
  { reason: "idle", given: { activation: { ...facts.activation, isActive: false } }, pruned: [] },
  { reason: "not listed", given: { activation: { ...facts.activation, listed: new Set(["two"]) } }, pruned: ["two"] },
  { reason: "excluded", given: { exclusions: rules("[{kind: Thing, name: 'th*'}]") }, pruned: [] },
  {
    reason: "another one is excluded",
    given: { exclusions: rules("[{kind: Thing, name: other}, {kind: Other, name: thing}]") },
    pruned: both,
  },
  { reason: "unknown exclusions", given: { exclusions: undefined }, pruned: [] },
  { reason: "a plan governs the object", given: { plans: [plan("other", "thing")] }, pruned: [] },
  { reason: "a plan governs the purpose", given: { plans: [plan("density", "other")] }, pruned: ["one"] },
  { reason: "a plan governs another object", given: { plans: [plan("other", "other")] }, pruned: both },
  { reason: "unread plans", given: { unread: { name: "plans", why: "not listed" } }, pruned: [] },
];

test.each(cases)("pruned: $reason", ({ given, pruned }) => {
  expect(prunedParts({ assets }, { ...facts, ...given }).map(({ name }) => name)).toEqual(pruned);
});

test("prunes a fieldwise object except for the fields of a plan", () => {
  const governed = { ...facts, plans: [plan("other", "thing")] };
  expect(prunedParts({ assets: [part("one", "fieldwise")] }, governed)).toHaveLength(1);
});

const barring: readonly { readonly reason: string; readonly given: Partial<ClusterFacts>; readonly isIt: boolean }[] = [
  { reason: "without objections", given: {}, isIt: false },
  { reason: "excluded", given: { exclusions: rules("[{kind: Thing, name: thing}]") }, isIt: true },
  { reason: "unknown exclusions", given: { exclusions: undefined }, isIt: true },
  { reason: "governed", given: { plans: [plan("other", "thing")] }, isIt: true },
  { reason: "another one is governed", given: { plans: [plan("other", "other")] }, isIt: false },
  { reason: "unread plans", given: { unread: { name: "plans", why: "not listed" } }, isIt: true },
];

test.each(barring)("barred: $reason", ({ given, isIt }) => {
  expect(isBarred(target, { ...facts, ...given })).toBe(isIt);
});
