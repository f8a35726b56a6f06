// Tests a HyperConverged written in v1beta1 and served in v1: field ownership is preserved.

import type { Json, JsonMap, KubeObject } from "@virt/api";
import { writePath } from "@virt/objects";
import { expect, test } from "vitest";
import { objectAnnotations } from "../hco-annotations.ts";
import { hcoPointers } from "../hco-fact.ts";
import { forgotten, observedOf } from "../testing/reconciled-example.ts";
import { type ClusterEntry, paths, withOwners } from "../testing/small-cluster.ts";
import { decideObject } from "./decide-object.ts";
import type { ObjectMemory } from "./observe-object.ts";
import { transferObject } from "./release.ts";
import { readState } from "./state.ts";

const [old, fresh] = ["hco.kubevirt.io/v1beta1", "hco.kubevirt.io/v1"] as const;
const now = Date.parse("2026-01-01T01:00:00Z");
const key = "platform.kubevirt.io/managed-by";
const us = "virt-platform-operator";

type Versioned = ClusterEntry & { readonly apiVersion: string };
const entry = (
  manager: string,
  operation: ClusterEntry["operation"],
  apiVersion: string,
  ...fields: readonly string[]
): Versioned => ({ manager, operation, apiVersion, paths: paths(...fields) });
const ours = (...fields: readonly string[]) =>
  entry(us, "Apply", old, "metadata/labels/platform.kubevirt.io~1managed-by", ...fields);

function hco(
  spec: JsonMap,
  owners: readonly Versioned[],
  annotations: Readonly<Record<string, string>> = {},
): KubeObject {
  const metadata = { name: "hco", uid: "uid", resourceVersion: "1", labels: { [key]: us }, annotations };
  return withOwners({ apiVersion: fresh, kind: "HyperConverged", metadata, spec }, owners);
}

const remembered = (state: JsonMap) => ({ [objectAnnotations.state]: JSON.stringify({ v: 1, ...state }) });
const applied = remembered({ fields: { asset: ["/spec/evictionStrategy", "/spec/uninstallStrategy"] } });

const wanted: JsonMap = { virtualization: { evictionStrategy: "None" } };

function decisionFor(live: KubeObject, spec = wanted, memory: ObjectMemory = forgotten) {
  const baseline: KubeObject = { apiVersion: fresh, kind: "HyperConverged", metadata: { name: "hco" }, spec };
  return decideObject(
    observedOf(spec, {
      now,
      ref: { apiVersion: fresh, kind: "HyperConverged", name: "hco" },
      baseline,
      parts: [{ asset: "asset", object: baseline }],
      adoption: "fieldwise",
      live,
      memory,
      translate: (pointers) => hcoPointers(pointers, fresh),
    }),
  );
}

const is = (evictionStrategy: Json): JsonMap => ({ virtualization: { evictionStrategy } });

test("a foreign field in v1beta1 is contested in v1", () => {
  const live = hco(is("LiveMigrate"), [entry("them", "Update", old, "spec/evictionStrategy")]);
  const decision = decisionFor(live);
  const contested = decision.kind === "apply" ? decision.apply.contested : [];
  expect(contested.map(({ path, managers }) => `${writePath(path)} ${managers.join(", ")}`)).toEqual([
    "/spec/virtualization/evictionStrategy them",
  ]);
  expect(decision.kind === "apply" && decision.apply.object["spec"]).toEqual({});
});

test("a field of unknown origin is contested by owners of unknown fields", () => {
  const live = hco({ networking: { a: 1 } }, [entry("them", "Update", old, "spec/networkBinding")]);
  const decision = decisionFor(live, { networking: { a: 2 } });
  expect(decision.kind === "apply" && decision.apply.contested.map(({ managers }) => managers)).toEqual([["them"]]);
});

test("our v1beta1 fields are in sync in v1 without a dry run", () => {
  const live = hco(is("None"), [ours("spec/evictionStrategy")], applied);
  expect(decisionFor(live).kind).toBe("in-sync");
});

test("we do not contest our own unknown fields", () => {
  const live = hco(is("LiveMigrate"), [ours("spec/evictionStrategy", "spec/featureGates/alignCPUs", "spec/infra")]);
  expect(decisionFor(live)).toMatchObject({
    kind: "apply",
    apply: { contested: [], handOver: [], object: { spec: wanted } },
  });
});

test("a field taken in v1 is drift, though remembered in v1beta1", () => {
  const live = hco(
    is("LiveMigrate"),
    [ours(), entry("them", "Update", fresh, "spec/virtualization/evictionStrategy")],
    applied,
  );
  expect(decisionFor(live)).toMatchObject({
    kind: "apply",
    apply: { cause: "drift", contested: [], opponents: ['"them" (Update)'] },
  });
});

test("a field we owned in v1beta1 is agreed in v1", () => {
  const answer = { ...hco({ evictionStrategy: "None" }, [ours("spec/evictionStrategy")]), apiVersion: old };
  const live = hco(is("LiveMigrate"), [ours(), entry("them", "Update", fresh, "spec/virtualization/evictionStrategy")]);
  const decision = decisionFor(live, wanted, { ...forgotten, answer });
  expect(decision).toMatchObject({ kind: "apply", apply: { contested: [] } });
});

const leftAlone = { ...is("None"), deployment: { uninstallStrategy: "RemoveWorkloads" } };
const both = ours("spec/evictionStrategy", "spec/uninstallStrategy");

test("withdraws a field that an active asset dropped", () => {
  expect(decisionFor(hco(leftAlone, [both], applied))).toMatchObject({
    kind: "apply",
    apply: { handOver: [], contested: [] },
  });
});

test("hands over a field of unknown origin at its v1 path", () => {
  const live = hco(leftAlone, [both]);
  const decision = decisionFor(live);
  const handed = decision.kind === "apply" ? decision.apply.handOver : [];
  expect(handed.map(writePath)).toEqual(["/spec/deployment/uninstallStrategy"]);
  expect(transferObject(live, handed)["spec"]).toEqual({ deployment: leftAlone.deployment });
});

test("released v1beta1 fields stay released in v1", () => {
  const live = hco(leftAlone, [entry("virt-platform-operator-released", "Apply", old, "spec/uninstallStrategy")]);
  expect(transferObject(live, [])["spec"]).toEqual({ deployment: leftAlone.deployment });
});

test("an edit war from v1beta1 continues in v1", () => {
  const times = ["00:01", "00:02", "00:03", "00:04", "00:05"].map((time) => `2026-01-01T${time}:00Z`);
  const fights = { "/spec/evictionStrategy|them": times, "/spec/virtualization/evictionStrategy|them": times.slice(1) };
  const state = remembered({ fields: { asset: ["/spec/evictionStrategy"] }, fights });
  const live = hco(is("LiveMigrate"), [ours(), entry("them", "Update", old, "spec/evictionStrategy")], state);
  expect(Object.entries(readState(live).fights).map(([name, all]) => [name, all.length])).toEqual([
    ["/spec/virtualization/evictionStrategy|them", 5],
  ]);
  expect(decisionFor(live)).toMatchObject({
    kind: "pause",
    paused: { field: "/spec/virtualization/evictionStrategy" },
  });
});

test("fields with similar names and other kinds do not move", () => {
  const state = remembered({
    fields: { a: ["/spec/certConfigs", "/spec/featureGates/alignCPUs", "/spec/certConfig"] },
  });
  const live = hco({}, [], state);
  expect(readState(live).fields).toEqual({
    a: ["/spec/certConfigs", "/spec/featureGates/alignCPUs", "/spec/security/certConfig"],
  });
  expect(readState({ ...live, kind: "Thing" }).fields["a"]).toContain("/spec/certConfig");
});
