// Tests that readers accept objects of any shape, so that no content makes an assessment fail.

import type { Json, KubeObject } from "@virt/api";
import {
  isNodeReady,
  readBudgetFact,
  readClusterShape,
  readNodeFact,
  readPodFact,
  readRunStrategy,
  readVirtSettings,
  readVmFact,
} from "@virt/cluster";
import { runsForCost } from "@virt/testkit/law-runs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { assessed, assessImpact, readDisruptionPolicies } from "./index.ts";
import { clusterFacts, nodeObject, vmObject, workers } from "./testing/cluster-builder.ts";

const conditions = (...statuses: readonly (readonly [string, string])[]): KubeObject => ({
  ...nodeObject("a"),
  status: { conditions: statuses.map(([type, status]) => ({ type, status })) },
});

test.each([
  { reason: "a reporting node is ready", node: conditions(["Ready", "True"]), isReady: true },
  { reason: "a silent kubelet is not ready", node: conditions(["Ready", "Unknown"]), isReady: false },
  { reason: "a node without conditions is not ready", node: conditions(), isReady: false },
  {
    reason: "disk pressure is not ready",
    node: conditions(["Ready", "True"], ["DiskPressure", "True"]),
    isReady: false,
  },
  {
    reason: "unknown disk pressure is not ready",
    node: conditions(["Ready", "True"], ["DiskPressure", "Unknown"]),
    isReady: false,
  },
  {
    reason: "an unavailable network is not ready",
    node: conditions(["Ready", "True"], ["NetworkUnavailable", "True"]),
    isReady: false,
  },
  {
    reason: "memory pressure is ready",
    node: conditions(["Ready", "True"], ["MemoryPressure", "True"]),
    isReady: true,
  },
])("$reason", ({ node, isReady }) => {
  expect(isNodeReady(node)).toBe(isReady);
});

test("drops labels of CPU features", () => {
  const labels = { "cpu-feature.node.kubevirt.io/aes": "true", "hyperv.node.kubevirt.io/vpindex": "true", kept: "yes" };
  expect(Object.keys(readNodeFact(nodeObject("a", { labels })).labels)).not.toContain(
    "hyperv.node.kubevirt.io/vpindex",
  );
  expect(readNodeFact(nodeObject("a", { labels })).labels).toMatchObject({ kept: "yes" });
});

const vmi = (content: Readonly<Record<string, Json>>): KubeObject => ({
  apiVersion: "kubevirt.io/v1",
  kind: "VirtualMachineInstance",
  metadata: { name: "odd", namespace: "vms" },
  ...content,
});
const oddVms: readonly { reason: string; vm: KubeObject; counted: string }[] = [
  { reason: "no spec and no status", vm: vmi({}), counted: "unknown" },
  { reason: "no status", vm: vmi({ spec: { domain: {} } }), counted: "unknown" },
  {
    reason: "two nodes",
    vm: vmi({ status: { phase: "Running", nodeName: ["worker-0", "worker-1"] } }),
    counted: "unknown",
  },
  { reason: "no spec.domain", vm: vmi({ status: { phase: "Running", nodeName: "worker-0" } }), counted: "block" },
  { reason: "no phase", vm: vmi({ status: { nodeName: "worker-0" } }), counted: "unknown" },
  {
    reason: "conditions that are a map",
    vm: vmi({ spec: null, status: { phase: "Running", nodeName: "worker-0", conditions: { type: "LiveMigratable" } } }),
    counted: "block",
  },
  {
    reason: "memory beyond all machines",
    vm: vmObject("odd", "worker-0", { spec: { domain: { memory: { guest: `${"9".repeat(60)}Ei` } } } }),
    counted: "migrate",
  },
  {
    reason: "a negative grace period",
    vm: vmObject("odd", "worker-0", { strategy: "None", owner: null, grace: -5 }),
    counted: "stop",
  },
];

test.each(oddVms)("a VM with $reason has the outcome $counted", ({ vm, counted }) => {
  const impact = assessImpact(clusterFacts({ nodes: workers(2), vms: [vm] }));
  const outcomes = Object.entries(impact.vms ?? {}).filter(([, count]) => count > 0);
  expect(outcomes).toEqual([[counted, 1]]);
});

const anyJson = fc.jsonValue({ maxDepth: 4 }).map((value) => value as Json);
const keys = (
  "spec status metadata labels annotations ownerReferences controller conditions " +
  "type domain memory guest resources requests cpu sockets " +
  "nodeName phase migrationState completed startTimestamp endTimestamp affinity nodeAffinity " +
  "nodeSelector tolerations taints requiredDuringSchedulingIgnoredDuringExecution nodeSelectorTerms matchExpressions key operator " +
  "configuration migrations evictionStrategy allocatable selector disruptionsAllowed kind name"
).split(" ");
const anyObject = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    anyJson,
    fc.constantFrom<Json[]>(
      "True",
      "Running",
      "LiveMigratable",
      "worker-0",
      "Exists",
      "Gt",
      "1Gi",
      "2026-01-01T00:00:00Z",
    ),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...keys), tie("value"), { maxKeys: 6 }),
  ),
})).value;
const anyContent = fc
  .dictionary(fc.constantFrom("metadata", "spec", "status"), anyObject)
  .map((content): KubeObject => ({ apiVersion: "v1", kind: "Any", metadata: { name: "odd" }, ...content }));

test("no object makes readers or assessments throw", () => {
  const law = fc.property(fc.array(anyContent, { minLength: 1, maxLength: 4 }), (objects) => {
    const [first] = objects;
    const facts = clusterFacts({ nodes: workers(2) });
    const impact = assessImpact({
      ...facts,
      nodes: assessed([...(facts.nodes.isAssessed ? facts.nodes.value : []), ...objects.map(readNodeFact)]),
      policies: assessed(readDisruptionPolicies(first)),
      shape: assessed(readClusterShape(first)),
      settings: assessed(readVirtSettings(first, first)),
      vms: assessed(objects.map((object) => ({ ...readVmFact(object), node: "worker-0" }))),
      budgets: assessed(objects.map(readBudgetFact)),
      pods: assessed(new Map([["worker-0", objects.map(readPodFact)]])),
    });
    expect(impact.nodes).toBe(2);
    expect(() => objects.map(readRunStrategy)).not.toThrow();
  });
  fc.assert(law, runsForCost(10));
});

test.each([
  { reason: "runStrategy", spec: { runStrategy: "Manual" }, strategy: "Manual" },
  { reason: "running: true", spec: { running: true }, strategy: "Always" },
  { reason: "running: false", spec: { running: false }, strategy: undefined },
])("reads the run strategy from $reason", ({ spec, strategy }) => {
  expect(readRunStrategy(vmi({ spec }))).toBe(strategy);
});

const settingsObject = (apiVersion: string, spec: Readonly<Record<string, Json>>): KubeObject => ({
  apiVersion,
  kind: "Any",
  metadata: { name: "a" },
  spec,
});
const defaults = {
  evictionStrategy: undefined,
  migrationsPerCluster: 5,
  migrationsPerNode: 2,
  timeoutPerGiB: 150,
  bandwidth: 0,
  memoryOvercommit: 100,
};
const values = {
  evictionStrategy: "LiveMigrate",
  liveMigrationConfig: { parallelMigrationsPerCluster: 9, bandwidthPerMigration: "64Mi", completionTimeoutPerGiB: 0 },
  higherWorkloadDensity: { memoryOvercommitPercentage: 150 },
};
const read = {
  evictionStrategy: "LiveMigrate",
  migrationsPerCluster: 9,
  bandwidth: 64 * 2 ** 20,
  memoryOvercommit: 150,
};

test("prefers KubeVirt to either version of the HyperConverged, with defaults", () => {
  const kubevirt = settingsObject("kubevirt.io/v1", { configuration: {} });
  const old = settingsObject("hco.kubevirt.io/v1beta1", values);
  expect(readVirtSettings(undefined, undefined)).toEqual(defaults);
  expect(readVirtSettings(undefined, old)).toEqual({ ...defaults, ...read });
  expect(readVirtSettings(undefined, settingsObject("hco.kubevirt.io/v1", { virtualization: values }))).toEqual({
    ...defaults,
    ...read,
  });
  expect(readVirtSettings(kubevirt, old)).toEqual({ ...defaults, evictionStrategy: "None" });
});
