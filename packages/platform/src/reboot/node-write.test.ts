import { fieldManagers, type JsonMap, type KubeObject } from "@virt/api";
import { assessed, readDisruptionPolicies } from "@virt/impact";
import { policyObject, poolObject, psiConfig } from "@virt/impact/testing/cluster-builder";
import { fullBucket, noSchema } from "@virt/objects";
import { expect, test } from "vitest";
import type { Asset } from "../asset.ts";
import type { ObjectDecision } from "../baseline/decision.ts";
import { disruptionOfWrites, nodeRemovalOf, nodeWriteOf } from "./node-write.ts";

const objectOf = (impact: Asset["impact"], { apiVersion, kind, metadata }: KubeObject) => ({
  ref: { apiVersion, kind, name: metadata.name },
  assets: [{ name: "a", impact } as Asset],
});

const applying = (intent: KubeObject): ObjectDecision => ({
  kind: "apply",
  apply: {
    cause: "intent",
    object: intent,
    intent,
    handOver: [],
    removals: [],
    contested: [],
    changes: [],
    opponents: [],
    done: { patched: 0, released: [], adopted: [], isResumed: false },
  },
  bucket: fullBucket,
  skipsDryRun: false,
});

const writeOf = (intent: KubeObject, live?: KubeObject, impact: Asset["impact"] = "reboot") =>
  nodeWriteOf(objectOf(impact, intent), applying(intent), { live, shapeOf: noSchema });

const ownedBy = (object: KubeObject, fields: JsonMap): KubeObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    managedFields: [{ manager: fieldManagers.platform, operation: "Apply", fieldsType: "FieldsV1", fieldsV1: fields }],
  },
});

test("equal or harmless content does not write to nodes", () => {
  const psi = psiConfig();
  expect(writeOf(psi)).toEqual({ before: undefined, after: psi });
  expect(writeOf(psi, { ...psi, metadata: { ...psi.metadata, annotations: { a: "b" } } })).toBeUndefined();
  expect(writeOf(psi, undefined, "pods")).toBeUndefined();
  expect(
    nodeWriteOf(objectOf("reboot", psi), { kind: "unmanaged" }, { live: undefined, shapeOf: noSchema }),
  ).toBeUndefined();
});

test("foreign content stays, and dropped content of ours goes", () => {
  const live = ownedBy(
    { ...psiConfig(), spec: { kernelArguments: ["old"], extensions: ["theirs"], fips: true } },
    { "f:spec": { "f:kernelArguments": {}, "f:fips": {} } },
  );
  expect(writeOf(psiConfig(), live)?.after?.["spec"]).toEqual({ kernelArguments: ["psi=1"], extensions: ["theirs"] });
});

const kubelet = (spec: JsonMap): KubeObject => ({
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "KubeletConfig",
  metadata: { name: "virt-perf-settings" },
  spec: {
    machineConfigPoolSelector: { matchLabels: { "pools.operator.machineconfiguration.openshift.io/worker": "" } },
    ...spec,
  },
});

const labelled = (name: string): KubeObject => {
  const pool = poolObject(name);
  const labels = { [`pools.operator.machineconfiguration.openshift.io/${name}`]: "" };
  return { ...pool, metadata: { ...pool.metadata, labels } };
};
const pools = ["master", "worker", "infra"].map(labelled);
const disruption = (spec: JsonMap, files: Readonly<Record<string, readonly string[]>> = {}) => {
  const write = writeOf(kubelet(spec));
  const policies = assessed(readDisruptionPolicies(policyObject(files)));
  return disruptionOfWrites(write === undefined ? [] : [write], pools, policies);
};

test("a KubeletConfig is a file in selected and inheriting pools", () => {
  const kubeletConfig = { maxPods: 500 };
  expect(disruption({ kubeletConfig })).toEqual([
    { pool: "infra", class: "Reboot" },
    { pool: "worker", class: "Reboot" },
  ]);
  const spared = { "/etc/kubernetes/kubelet.conf": ["Restart"] };
  expect(disruption({ kubeletConfig }, spared).map((each) => each.class)).toEqual(["Reload", "Reload"]);
  expect(disruption({ kubeletConfig, autoSizingReserved: true }, spared).map((each) => each.class)).toEqual([
    "Reboot",
    "Reboot",
  ]);
  const both = { ...spared, "/etc/node-sizing-enabled.env": ["None"] };
  expect(disruption({ kubeletConfig, autoSizingReserved: true }, both).map((each) => each.class)).toEqual([
    "Reload",
    "Reload",
  ]);
  expect(disruption({ kubeletConfig, machineConfigPoolSelector: {} })).toEqual([]);
});

test("a deletion affects nodes like its write", () => {
  const policies = assessed(readDisruptionPolicies(policyObject({ "/etc/kubernetes/kubelet.conf": ["Restart"] })));
  const removalOf = (live: KubeObject, impact: Asset["impact"] = "reboot") =>
    disruptionOfWrites(
      [nodeRemovalOf(objectOf(impact, live), live)].flatMap((write) => write ?? []),
      pools,
      policies,
    );
  expect(removalOf(psiConfig())).toEqual([
    { pool: "infra", class: "Reboot" },
    { pool: "worker", class: "Reboot" },
  ]);
  expect(removalOf(kubelet({ kubeletConfig: {} })).map((each) => each.class)).toEqual(["Reload", "Reload"]);
  expect(removalOf(psiConfig(), "pods")).toEqual([]);
  expect(removalOf({ ...psiConfig(), apiVersion: "v1", kind: "ConfigMap" })).toEqual([]);
});

test("the worst of several writes to a pool counts", () => {
  const policies = assessed(readDisruptionPolicies(policyObject({ "/etc/kubernetes/kubelet.conf": ["Restart"] })));
  const writes = [kubelet({ kubeletConfig: {} }), psiConfig("infra")].map((after) => ({ before: undefined, after }));
  expect(disruptionOfWrites(writes, pools, policies)).toEqual([
    { pool: "infra", class: "Reboot" },
    { pool: "worker", class: "Reload" },
  ]);
});

test("a MachineConfig that moves affects both pools", () => {
  const writes = [{ before: psiConfig("worker"), after: psiConfig("master") }];
  expect(disruptionOfWrites(writes, pools, assessed(readDisruptionPolicies(undefined)))).toEqual([
    { pool: "infra", class: "Reboot" },
    { pool: "master", class: "Reboot" },
    { pool: "worker", class: "Reboot" },
  ]);
});

test("the gate covers all pools", () => {
  const many = [...Array.from({ length: 20 }, (_, at) => poolObject(`pool-${at}`)), poolObject("worker")];
  const writes = [{ before: undefined, after: psiConfig("worker") }];
  expect(disruptionOfWrites(writes, many, assessed(readDisruptionPolicies(undefined))).length).toBe(21);
});
