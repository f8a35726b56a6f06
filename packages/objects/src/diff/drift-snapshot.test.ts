import type { KubeObject, Ref } from "@virt/api";
import fc from "fast-check";
import { expect, test } from "vitest";
import { at, canonicalJson, digest, equalJson, type Json } from "../json/json.ts";
import { managedValues, snapshotTargets, targetKey } from "./drift.ts";

const machineConfig: Ref = {
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfig",
  name: "99-worker-psi-karg",
};
const descheduler: Ref = {
  apiVersion: "operator.openshift.io/v1",
  kind: "KubeDescheduler",
  namespace: "openshift-kube-descheduler-operator",
  name: "cluster",
};

test("the specified snapshot has the specified text and hash", () => {
  const both = snapshotTargets(
    [descheduler, machineConfig].map((ref) => ({ ref, live: undefined, managedFields: ["spec.mode"] })),
  );
  expect(canonicalJson(both)).toBe(
    '{"machineconfiguration.openshift.io/v1/MachineConfig/99-worker-psi-karg":{"__state":"NOT_FOUND"},"operator.openshift.io/v1/KubeDescheduler/openshift-kube-descheduler-operator/cluster":{"__state":"NOT_FOUND"}}',
  );
  expect(digest(both)).toBe("8046b8bc3127298de872e1ee226b6464d73a52449bc71d34910bc97914434037");
});

test("an object of the core group has a key with an empty group", () => {
  expect(targetKey({ apiVersion: "v1", kind: "ConfigMap", namespace: "ns", name: "name" })).toBe(
    "/v1/ConfigMap/ns/name",
  );
});

const live = (spec: Json | undefined): KubeObject => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: "x" },
  ...(spec === undefined ? {} : { spec }),
});

const cases: readonly (readonly [reason: string, object: KubeObject, fields: readonly string[], values: Json])[] = [
  [
    "returns the live value of each path",
    live({ a: { b: [1] }, c: 2 }),
    ["spec.a.b", "spec.c"],
    { "spec.a.b": [1], "spec.c": 2 },
  ],
  ["omits a missing path", live({ a: null }), ["spec.a", "spec.b", "spec.a.c"], { "spec.a": null }],
  ["ignores empty segments, but keeps the text of the path", live({ a: 1 }), [".spec..a"], { ".spec..a": 1 }],
  ["without managed fields, returns the whole spec", live({ a: 1 }), [], { spec: { a: 1 } }],
  ["without managed fields and spec, returns nothing", live(undefined), [], {}],
  ["omits inherited names", live({}), ["spec.constructor", "spec.__proto__"], {}],
];

test.each(cases)("%s", (_reason, object, fields, values) => {
  expect(managedValues(object, fields)).toEqual(values);
});

test("the hash changes only with a managed field", () => {
  const value = fc.constantFrom<Json>(0, 1, "1", null, [], [1], {}, { x: 1 });
  const spec = fc.dictionary(fc.constantFrom("a", "b", "c"), value);
  const hash = (object: KubeObject) =>
    digest(snapshotTargets([{ ref: machineConfig, live: object, managedFields: ["spec.a", "spec.b.x"] }]));
  const law = fc.property(spec, spec, value, (before, after, status) => {
    const moved = { ...live(after), status, metadata: { name: "x", resourceVersion: "9" } };
    const isSame = equalJson(before["a"], after["a"]) && equalJson(at(before, "b", "x"), at(after, "b", "x"));
    return (hash(live(before)) === hash(moved)) === isSame;
  });
  fc.assert(law);
});
