// Tests the translation of field ownership between two API versions.

import type { KubeObject } from "@virt/api";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Json, JsonMap } from "../json/json.ts";
import { pathsOf } from "./field-set.ts";
import { isMadeBy, mayOwn, ownersAs, ownersOf, readOwners } from "./owners.ts";
import { fieldPath, writePath } from "./path.ts";

type Version = "v1" | "v1beta1";

const hco = (version: Version, written: string, fields: Json, spec: JsonMap = {}): KubeObject => ({
  apiVersion: `hco.kubevirt.io/${version}`,
  kind: "HyperConverged",
  metadata: {
    name: "hco",
    managedFields: [
      {
        manager: "them",
        operation: "Update",
        apiVersion: `hco.kubevirt.io/${written}`,
        fieldsV1: { "f:spec": fields },
      },
    ],
  },
  spec,
});

const fieldsOf = (object: KubeObject) => readOwners(object).flatMap(({ fields }) => pathsOf(fields).map(writePath));
const unplacedOf = (object: KubeObject) =>
  readOwners(object).flatMap(({ unplaced }) => (unplaced === undefined ? [] : pathsOf(unplaced).map(writePath)));

type Case = {
  readonly reason: string;
  readonly served?: Version;
  readonly written?: string;
  readonly fields: Json;
  readonly spec?: JsonMap;
  readonly owned?: readonly string[];
  readonly unplaced?: readonly string[];
};

const cases: readonly Case[] = [
  {
    reason: "a moved field is owned at its new place",
    fields: { "f:liveMigrationConfig": { "f:parallelMigrationsPerCluster": {} } },
    owned: ["/spec/virtualization/liveMigrationConfig/parallelMigrationsPerCluster"],
  },
  {
    reason: "a moved field is owned at its old place in the old version",
    served: "v1beta1",
    written: "v1",
    fields: { "f:virtualization": { ".": {}, "f:liveMigrationConfig": { ".": {}, "f:network": {} } } },
    owned: ["/spec/liveMigrationConfig", "/spec/liveMigrationConfig/network"],
  },
  {
    reason: "an element moves with its list",
    fields: { "f:permittedHostDevices": { "f:pciHostDevices": { 'k:{"pciDeviceSelector":"a"}': { ".": {} } } } },
    owned: ["/spec/virtualization/permittedHostDevices/pciHostDevices/pciDeviceSelector=a"],
  },
  {
    reason: "distinguishes fields that moved into one map",
    served: "v1beta1",
    written: "v1",
    fields: { "f:deployment": { "f:applicationAwareConfig": { "f:enable": {}, "f:vmiCalcConfigName": {} } } },
    owned: ["/spec/enableApplicationAwareQuota", "/spec/applicationAwareConfig/vmiCalcConfigName"],
  },
  {
    reason: "a field of both versions stays",
    fields: { ".": {}, "f:size": {} },
    spec: { size: 1 },
    owned: ["/spec", "/spec/size"],
  },
  {
    reason: "a missing field may be at any other place",
    fields: { "f:infra": { "f:nodePlacement": {} }, "f:certConfig": {} },
    owned: ["/spec/security/certConfig"],
    unplaced: ["/spec/infra/nodePlacement"],
  },
  {
    reason: "feature gates of a map have no place in the list",
    fields: { "f:featureGates": { "f:alignCPUs": {} } },
    spec: { featureGates: [] },
    unplaced: ["/spec/featureGates/alignCPUs"],
  },
  {
    reason: "feature gates of a list have no place in the map",
    served: "v1beta1",
    written: "v1",
    fields: { "f:featureGates": {} },
    spec: { featureGates: { alignCPUs: true } },
    unplaced: ["/spec/featureGates"],
  },
  {
    reason: "for an unknown version, only existing fields have a place",
    written: "v2",
    fields: { "f:liveMigrationConfig": {}, "f:size": {} },
    spec: { size: 1 },
    owned: ["/spec/size"],
    unplaced: ["/spec/liveMigrationConfig"],
  },
  {
    reason: "does not translate an entry of the same version",
    written: "v1",
    fields: { "f:liveMigrationConfig": {} },
    owned: ["/spec/liveMigrationConfig"],
  },
];

test.each(cases)("$reason", ({ served = "v1", written = "v1beta1", fields, spec = {}, owned = [], unplaced = [] }) => {
  const object = hco(served, written, fields, spec);
  expect(fieldsOf(object)).toEqual(owned);
  expect(unplacedOf(object)).toEqual(unplaced);
});

test("labels and annotations are the same in every version", () => {
  const fieldsV1 = { "f:metadata": { "f:labels": { "f:a": {} } } };
  const managedFields = [{ manager: "them", operation: "Apply", apiVersion: "hco.kubevirt.io/v1beta1", fieldsV1 }];
  expect(fieldsOf({ ...hco("v1", "v1", {}), metadata: { name: "hco", managedFields } })).toEqual([
    "/metadata/labels/a",
  ]);
});

test("translates owners to another version", () => {
  const object = hco("v1beta1", "v1beta1", { "f:uninstallStrategy": {} });
  const path = fieldPath("spec", "deployment", "uninstallStrategy");
  expect(ownersOf(ownersAs(object, "hco.kubevirt.io/v1"), path)).toMatchObject([
    { manager: "them", apiVersion: "hco.kubevirt.io/v1beta1" },
  ]);
  expect(ownersOf(readOwners(object), path)).toEqual([]);
});

test("an unplaced field may be any field without a known place", () => {
  const object = hco("v1", "v1beta1", { "f:infra": {} });
  const [owner] = readOwners(object);
  const may = (...names: readonly string[]) => owner !== undefined && mayOwn(owner, fieldPath(...names), object);
  expect(may("spec", "deployment", "nodePlacements")).toBe(true);
  expect(may("spec", "featureGates")).toBe(true);
  expect(may("spec", "virtualization", "liveMigrationConfig", "network")).toBe(false);
  expect(may("metadata", "labels", "a")).toBe(false);
});

test("an object with an unplaced field of another client is not ours", () => {
  const object = hco("v1", "v1beta1", { "f:infra": {} });
  const ours = { manager: "us", operation: "Apply", fieldsV1: { "f:spec": { "f:a": {} } } };
  const managedFields = [...(object.metadata["managedFields"] as readonly JsonMap[]), ours];
  expect(isMadeBy({ ...object, metadata: { ...object.metadata, managedFields } }, "us", ["spec.a"])).toBe(false);
});

const moved = [
  "liveMigrationConfig",
  "certConfig",
  "uninstallStrategy",
  "enableApplicationAwareQuota",
  "evictionStrategy",
];

test("a translated field is translated back to its place", () => {
  const field = fc.record({ name: fc.constantFrom(...moved), below: fc.option(fc.string(), { nil: undefined }) });
  fc.assert(
    fc.property(fc.array(field, { size: "max", maxLength: 8 }), (some) => {
      const fields = Object.fromEntries(
        some.map(({ name, below }) => [`f:${name}`, below === undefined ? {} : { [`f:${below}`]: {} }]),
      );
      const there = readOwners(hco("v1", "v1beta1", fields)).map(({ fields: placed }) => pathsOf(placed));
      const back = there.flat().reduce<JsonMap>((tree, path) => withPath(tree, path.slice(1)), {});
      expect(fieldsOf(hco("v1beta1", "v1", back)).toSorted()).toEqual(
        fieldsOf(hco("v1beta1", "v1beta1", fields)).toSorted(),
      );
    }),
  );
});

function withPath(tree: JsonMap, [element, ...rest]: readonly string[]): JsonMap {
  if (element === undefined) return tree;
  return { ...tree, [element]: withPath((tree[element] ?? {}) as JsonMap, rest) };
}
