import { hco } from "@virt/cluster";
import { expect, test } from "vitest";
import {
  type Asset,
  type AssetCondition,
  annotationIs,
  anyOf,
  detected,
  hardware,
  type Tombstone,
  topologyIs,
} from "./asset.ts";
import { catalogFaults, renderFaults } from "./catalog-checks.ts";

const asset: Asset = {
  name: "a",
  feature: { name: "f", description: "", maturity: "GA" },
  tier: "always-on",
  phase: 1,
  order: 1,
  target: { apiVersion: "g.io/v1", kind: "A", name: "a", crd: "as.g.io" },
  needs: [],
  dependency: "optional",
  reads: {},
  adoption: "whole",
  impact: "none",
  render: () => ({ apiVersion: "g.io/v1", kind: "A", metadata: { name: "a" } }),
};
const tombstone: Tombstone = { apiVersion: "v1", kind: "ConfigMap", name: "x", since: "1", reason: "gone" };
const hcoTarget = {
  apiVersion: "hco.kubevirt.io/v1",
  kind: "HyperConverged",
  name: "k",
  namespace: "$hco",
  crd: "h.hco.kubevirt.io",
};

type Case = { reason: string; assets?: readonly Asset[]; tombstones?: readonly Tombstone[]; faults: readonly string[] };

const one = (reason: string, changed: Partial<Asset>, ...faults: readonly string[]): Case => ({
  reason,
  assets: [{ ...asset, ...changed }],
  faults: faults.map((fault) => `${changed.name ?? "a"}: ${fault}`),
});
const tombstoned = (reason: string, changed: Partial<Tombstone>, ...faults: readonly string[]): Case => {
  const { kind, name } = { ...tombstone, ...changed };
  return {
    reason,
    tombstones: [{ ...tombstone, ...changed }],
    faults: faults.map((fault) => `tombstone ${kind} ${name}: ${fault}`),
  };
};

const cases: readonly Case[] = [
  one("nothing is wrong", {}),
  one("a name in another case", { name: "A_b" }, "its name is not in kebab case"),
  one("a group in another case", { group: "-a" }, "its group is not in kebab case"),
  one("an order between two", { order: 1.5 }, "its order is not a whole number"),
  {
    reason: "two features with one name",
    assets: [asset, { ...asset, name: "b", feature: { ...asset.feature, maturity: "DP" } }],
    faults: ["a, b: two features have the name f"],
  },
  one("another object in phase 0", { phase: 0 }, "phase 0 is reserved for the HyperConverged"),
  one("a HyperConverged of ours", { target: hcoTarget }, "it would create a HyperConverged"),
  one("the HyperConverged of others", { target: hcoTarget, create: false, phase: 0 }),
  one(
    "always on and off",
    { switch: { annotation: "e", default: "off" } },
    "the switch of an always-on asset must be on by default",
  ),
  one(
    "opt-in without a switch",
    { tier: "advanced" },
    "an asset that is not always on needs a switch that is off by default",
  ),
  one(
    "opt-in that is on",
    { tier: "advanced", switch: { annotation: "e", default: "on" } },
    "an asset that is not always on needs a switch that is off by default",
  ),
  one("opt-in by a gate", { tier: "advanced", switch: { gate: "G" } }),
  one("alternates to nothing", { alternates: [asset.target] }, "alternates need a purpose"),
  one(
    "no name of a CRD",
    { target: { apiVersion: "g.io/v1", kind: "A", name: "a" } },
    "a kind with a group other than apps needs the name of its CRD",
  ),
  one(
    "the CRD of another group",
    { target: { ...asset.target, crd: "as.h.io" } },
    "a kind with a group other than apps needs the name of its CRD",
  ),
  one("a built-in kind", { target: { apiVersion: "v1", kind: "Service", name: "a" } }),
  one("a broken condition", { conditions: [{ type: "x" } as unknown as AssetCondition] }, "unknown condition type: x"),
  one(
    "conditions that read what is not declared",
    {
      conditions: [anyOf(detected("gpuPresent"), annotationIs("x")), topologyIs("isAWS")],
      reads: { hardware: hardware() },
    },
    "its conditions read hco, which it does not declare",
    "its conditions read topology, which it does not declare",
  ),
  one("conditions that read what is", { conditions: [annotationIs("x")], reads: { hco: hco() } }),
  { reason: "two assets with one name", assets: [asset, { ...asset, order: 2 }], faults: ["a: duplicate name"] },
  {
    reason: "parts with different adoption",
    assets: [asset, { ...asset, name: "b", adoption: "fieldwise", poolRule: "worker" }],
    faults: ["a, b: parts of one object differ in adoption", "a, b: parts of one object differ in poolRule"],
  },
  { reason: "parts that agree", assets: [asset, { ...asset, name: "b" }], faults: [] },
  { reason: "an unsorted list", assets: [{ ...asset, name: "b" }, asset], faults: ["a: it comes before b"] },
  {
    reason: "a sorted list",
    assets: [
      { ...asset, name: "b" },
      { ...asset, order: 2 },
    ],
    faults: [],
  },
  tombstoned("a tombstone that is right", {}),
  tombstoned("one without a reason", { reason: "" }, "reason is missing"),
  ...[
    "Namespace",
    "CustomResourceDefinition",
    "HyperConverged",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "VirtualMachine",
    "VirtualMachineInstance",
  ].map((kind) => tombstoned(`one for a ${kind}`, { kind }, "objects of this kind are never deleted")),
  tombstoned(
    "one for what nodes run",
    { apiVersion: "machineconfiguration.openshift.io/v1", kind: "MachineConfig" },
    "objects that configure nodes must be pruned, so that the reboot gate applies",
  ),
  {
    ...tombstoned("one for what we still have", { kind: "A", name: "a" }, "the catalog still contains it"),
    assets: [asset],
  },
];

test.each(cases)("$reason", ({ assets = [], tombstones = [], faults }) => {
  expect(catalogFaults({ assets, tombstones })).toEqual(faults);
});

test("rejects a render with extra fields", () => {
  const rendered = {
    apiVersion: "h.io/v1",
    kind: "B",
    metadata: {
      name: "b",
      namespace: "c",
      uid: "d",
      labels: { "platform.kubevirt.io/managed-by": "x", other: "y" },
      annotations: { "platform.kubevirt.io/mode": "unmanaged", other: "y" },
    },
    status: {},
  };
  expect(renderFaults(asset, rendered, undefined)).toEqual([
    "a renders another group",
    "a renders another kind",
    "a renders another name",
    "a renders another namespace",
    "a renders a status",
    "a renders metadata.uid",
    "a renders our label",
    "a renders annotation platform.kubevirt.io/mode",
  ]);
  expect(renderFaults(asset, { apiVersion: "g.io/v2", kind: "A", metadata: { name: "a" } }, undefined)).toEqual([]);
});
