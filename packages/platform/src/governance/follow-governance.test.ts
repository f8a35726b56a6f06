import type { KubeObject } from "@virt/api";
import type { GovernorConfig } from "@virt/cluster";
import { expect, test } from "vitest";
import { type Asset, defineAsset } from "../asset.ts";
import { followGovernance, type ObservedGovernance, startRecord, switchesIn } from "./follow-governance.ts";
import {
  emptyRecord,
  type GovernanceRecord,
  governanceObject,
  readGovernanceRecord,
  writeGovernanceRecord,
} from "./governance-record.ts";

const prefix = "platform.kubevirt.io/";
const asset = (name: string, more: Partial<Asset>): Asset =>
  defineAsset({
    name,
    feature: { name, description: "", maturity: "GA" },
    tier: "always-on",
    phase: 1,
    order: 1,
    target: { apiVersion: "mc.io/v1", kind: "MachineConfig", name },
    needs: [],
    dependency: "platform",
    reads: {},
    adoption: "whole",
    impact: "reboot",
    render: () => ({ apiVersion: "mc.io/v1", kind: "MachineConfig", metadata: { name } }),
    ...more,
  });
const assets = [
  asset("swap", { group: "memory", purpose: "kubelet-swap", switch: { annotation: "enable-swap", default: "on" } }),
  asset("devices", { switch: { present: "vfio-devices" } }),
  asset("gated", { switch: { gate: "CPUManager" } }),
  asset("harmless", { purpose: "kubelet-swap", impact: "pods" }),
];
const places = { hcoNamespace: "cnv", hcoApiVersion: "hco.kubevirt.io/v1", ownNamespace: "own" };
const purposesOf = (profile: string) => (profile === "density" ? ["kubelet-swap"] : []);

function hcoAnnotated(
  said: Readonly<Record<string, string>>,
  metadata: Partial<KubeObject["metadata"]> = {},
): KubeObject {
  const annotations = Object.fromEntries(Object.entries(said).map(([key, value]) => [`${prefix}${key}`, value]));
  return {
    apiVersion: "hco.kubevirt.io/v1",
    kind: "HyperConverged",
    metadata: { name: "hco", namespace: "cnv", uid: "one", resourceVersion: "10", annotations, ...metadata },
    spec: {},
  };
}

const plan = (action: string, status: GovernorConfig["status"] = {}, generation = 1): GovernorConfig => ({
  metadata: { name: "density", uid: "plan", generation },
  spec: { profile: "density", action },
  status,
});
const approved = plan("Apply", { executedGeneration: 1 });

type GovernanceInput = {
  readonly plans?: readonly GovernorConfig[];
  readonly hco?: KubeObject;
  readonly isFresh?: boolean;
};
const isNewer = (seen: string, version: string) => Number(seen) >= Number(version);
const seen = ({ plans = [], hco = hcoAnnotated({}), isFresh = false }: GovernanceInput): ObservedGovernance => ({
  assets,
  places,
  plans,
  purposesOf,
  hco: isFresh ? switchesIn(hco) : switchesIn(hco, isNewer),
});
const follow = (record: GovernanceRecord, input: GovernanceInput) => followGovernance(record, seen(input));

function handedOver(said: Readonly<Record<string, string>>, plans: readonly GovernorConfig[] = []): GovernanceRecord {
  const governed = follow(emptyRecord, { plans: [approved] });
  return follow(governed, { plans, hco: hcoAnnotated(said), isFresh: true });
}

test("a plan governs by purpose and releases when ignored or deleted", () => {
  expect(follow(emptyRecord, { plans: [approved] })).toEqual({ ...emptyRecord, governed: { swap: "density" } });
  expect(handedOver({}).released).toMatchObject({ swap: { by: "density", since: { uid: "one" } } });
  expect(Object.keys(handedOver({}, [plan("Ignore")]).released)).toEqual(["swap"]);
});

test("releases objects that the plan no longer targets", () => {
  const on = (...names: readonly string[]) =>
    plan("Apply", {
      executedGeneration: 1,
      items: names.map((name) => ({ targetRef: { apiVersion: "mc.io/v1", kind: "MachineConfig", name } })),
    });
  const governed = follow(emptyRecord, { plans: [on("devices", "gated")] });
  expect(Object.keys(governed.governed)).toEqual(["swap", "devices", "gated"]);
  const fewer = follow(governed, { plans: [on("gated")], isFresh: true });
  expect([Object.keys(fewer.governed), Object.keys(fewer.released)]).toEqual([["swap", "gated"], ["devices"]]);
});

test("the last of two plans with a purpose releases it", () => {
  const other = { ...approved, metadata: { ...approved.metadata, name: "other" } };
  const both = follow(emptyRecord, { plans: [approved, other] });
  const one = follow(both, { plans: [other] });
  expect([one.governed, one.released]).toEqual([{ swap: "other" }, {}]);
});

const asks: readonly (readonly [
  before: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
  isAsked: boolean,
])[] = [
  [{}, {}, false],
  [{}, { "virt-platform-operator": "true" }, true],
  [{}, { "virt-platform-operator": "swap" }, true],
  [{}, { "virt-platform-operator": "memory" }, true],
  [{}, { "virt-platform-operator": "false" }, false],
  [{}, { "virt-platform-operator": "devices" }, false],
  [{ "virt-platform-operator": "swap" }, { "virt-platform-operator": "swap" }, false],
  [{ "virt-platform-operator": "swap" }, { "virt-platform-operator": "swap,devices" }, false],
  [{ "virt-platform-operator": "swap" }, { "virt-platform-operator": "true" }, true],
  [{}, { autopilot: "true" }, false],
  [{}, { autopilot: "true", "virt-platform-operator": "swap" }, true],
  [{ autopilot: "swap" }, { autopilot: "swap", "virt-platform-operator": "swap" }, false],
  [{ autopilot: "swap" }, { autopilot: "true" }, false],
  [{ "virt-platform-operator": "swap" }, {}, false],
  [{}, { "enable-swap": "true" }, true],
  [{ "enable-swap": "false" }, { "enable-swap": "true" }, true],
  [{ "enable-swap": "false" }, {}, false],
  [{ "enable-swap": "true" }, { "enable-swap": "yes" }, false],
];
test.each(asks)("before %o, now %o, requested %s", (before, now, isAsked) => {
  const after = follow(handedOver(before), { hco: hcoAnnotated(now, { resourceVersion: "11" }) });
  expect("swap" in after.released).toBe(!isAsked);
});

test("a switch that is removed and set again counts as set again", () => {
  const away = follow(handedOver({ "virt-platform-operator": "swap" }), {
    hco: hcoAnnotated({}, { resourceVersion: "11" }),
  });
  expect(Object.keys(away.released)).toEqual(["swap"]);
  const again = follow(away, { hco: hcoAnnotated({ "virt-platform-operator": "swap" }, { resourceVersion: "12" }) });
  expect(again.released).toEqual({});
});

test("a value from before the hand-over requests nothing", () => {
  const governed = follow(emptyRecord, { plans: [approved] });
  const unsettled = follow(governed, { hco: hcoAnnotated({}, { resourceVersion: "8" }) });
  expect(unsettled.released).toEqual({ swap: { by: "density" } });
  expect(
    follow(unsettled, { hco: hcoAnnotated({ "virt-platform-operator": "swap" }, { resourceVersion: "9" }) }),
  ).toEqual(unsettled);
  const settled = follow(unsettled, {
    hco: hcoAnnotated({ "virt-platform-operator": "swap" }, { resourceVersion: "12" }),
    isFresh: true,
  });
  const late = follow(settled, { hco: hcoAnnotated({}, { resourceVersion: "8" }) });
  expect(late).toEqual(settled);
  expect(follow(late, { hco: hcoAnnotated({ "virt-platform-operator": "swap" }, { resourceVersion: "12" }) })).toEqual(
    settled,
  );
});

test("another HyperConverged requests nothing with its initial values", () => {
  const created = hcoAnnotated({ "virt-platform-operator": "swap" }, { uid: "two", resourceVersion: "20" });
  const after = follow(follow(handedOver({}), { hco: created }), { hco: created, isFresh: true });
  expect(after.released).toMatchObject({ swap: { since: { uid: "two" } } });
  const said = hcoAnnotated(
    { "virt-platform-operator": "swap", "enable-swap": "true" },
    { uid: "two", resourceVersion: "21" },
  );
  expect(follow(after, { hco: said }).released).toEqual({});
});

test("prunes only if requested after the hand-over", () => {
  const before = handedOver({ "enable-swap": "false", prune: "true" });
  expect(before.released["swap"]?.isPruneAsked).toBeUndefined();
  const off = follow(before, { hco: hcoAnnotated({ "enable-swap": "false" }, { resourceVersion: "11" }) });
  const asked = follow(off, {
    hco: hcoAnnotated({ "enable-swap": "false", prune: "true" }, { resourceVersion: "12" }),
  });
  expect(asked.released["swap"]?.isPruneAsked).toBe(true);
  const on = follow(asked, { hco: hcoAnnotated({ prune: "true" }, { resourceVersion: "13" }) });
  expect(on.released["swap"]?.isPruneAsked).toBeUndefined();
});

test("releases once after a config that ran while the operator was down", () => {
  const found = plan("Ignore", {
    items: [{ targetRef: { apiVersion: "v1", kind: "X", name: "x" }, appliedTime: "t" }],
  });
  const first = follow(emptyRecord, { plans: [found], isFresh: true });
  expect(Object.keys(first.released)).toEqual(["swap"]);
  const asked = hcoAnnotated({ "enable-swap": "true" }, { resourceVersion: "11" });
  const later = follow(first, { plans: [found], hco: asked });
  expect(follow(later, { plans: [found], hco: asked }).released).toEqual({});
  const again = { ...found, metadata: { ...found.metadata, generation: 3 } };
  expect(Object.keys(follow(later, { plans: [again], hco: asked }).released)).toEqual(["swap"]);
  expect(follow(emptyRecord, { plans: [plan("Ignore")] })).toEqual(emptyRecord);
});

test("reads back a record", () => {
  const record = handedOver({ "virt-platform-operator": "swap" });
  const stored = governanceObject("own", writeGovernanceRecord(record));
  expect(readGovernanceRecord(stored)).toEqual({ kind: "record", record });
});

const traces = [
  ["nothing is stored, and nothing shows a plan", undefined, false, []],
  ["nothing is stored, but the advisor has fields in the HyperConverged", undefined, true, ["swap"]],
  ["what is stored cannot be read", "{", false, ["swap"]],
  [
    "a part of what is stored cannot be read",
    '{"version":1,"governed":{},"released":{"swap":1},"accounted":{}}',
    false,
    ["swap"],
  ],
] as const;
test.each(traces)("%s", (_, text, isPlanned, released) => {
  const fieldsV1 = { "f:spec": { "f:higherWorkloadDensity": {} } };
  const manager = "virt-advisor-operator-density";
  const owner = { manager, operation: "Apply", apiVersion: "hco.kubevirt.io/v1", fieldsV1 };
  const live = hcoAnnotated({}, isPlanned ? { managedFields: [owner] } : {});
  const stored = readGovernanceRecord(text === undefined ? undefined : governanceObject("own", text));
  const profiles = { all: ["density"], onHco: ["migration", "density"] };
  expect(Object.keys(startRecord(stored, seen({}), { live, profiles }).released)).toEqual(released);
});
