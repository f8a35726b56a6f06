import { at, type JsonMap, type KubeObject } from "@virt/objects";
import { expect, test } from "vitest";
import type { ClusterState } from "./cluster-state.ts";
import { migrationSettings } from "./migration-policies.ts";
import { threeWorkers } from "./standard-scenarios.ts";
import { simulateInMemory } from "./testing/in-memory-simulation.ts";

const policy = (name: string, spec: JsonMap): KubeObject => ({
  apiVersion: "migrations.kubevirt.io/v1alpha1",
  kind: "MigrationPolicy",
  metadata: { name },
  spec,
});
const ofMachines = (labels: JsonMap, more: JsonMap = {}): JsonMap => ({
  selectors: { virtualMachineInstanceSelector: labels },
  ...more,
});
const machine: KubeObject = {
  apiVersion: "kubevirt.io/v1",
  kind: "VirtualMachineInstance",
  metadata: { name: "vm-0", namespace: "vms", labels: { tier: "db", size: "large" } },
};
const namespace = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "vms", labels: { team: "a", env: "test" } },
};

function settingsWith(...policies: readonly KubeObject[]) {
  const objects: Readonly<Record<string, readonly KubeObject[]>> = {
    MigrationPolicy: policies,
    Namespace: [namespace],
  };
  const cluster: ClusterState = {
    scenario: threeWorkers,
    seed: 1,
    timestamp: "2030-01-01T00:00:00Z",
    createdKeys: new Set(),
    list: (kind) => objects[kind] ?? [],
    servedVersion: () => "served",
  };
  return migrationSettings(cluster, machine);
}

test.each([
  { rule: "no policy matches a VM with another label", policies: [ofMachines({ tier: "web" })], chosen: undefined },
  { rule: "a policy without selectors matches no VM", policies: [{}], chosen: undefined },
  {
    rule: "the policy with more labels wins",
    policies: [ofMachines({ tier: "db" }), ofMachines({ tier: "db", size: "large" })],
    chosen: "policy-1",
  },
  {
    rule: "labels of the namespace count too",
    policies: [ofMachines({ tier: "db" }), { selectors: { namespaceSelector: { team: "a", env: "test" } } }],
    chosen: "policy-1",
  },
  {
    rule: "labels of the VM decide between equal numbers",
    policies: [{ selectors: { namespaceSelector: { team: "a" } } }, ofMachines({ size: "large" })],
    chosen: "policy-1",
  },
  {
    rule: "the name decides between equal policies",
    policies: [ofMachines({ size: "large" }), ofMachines({ tier: "db" })],
    chosen: "policy-0",
  },
])("$rule", ({ policies, chosen }) => {
  expect(settingsWith(...policies.map((spec, index) => policy(`policy-${index}`, spec))).policyName).toBe(chosen);
});

test("a policy sets the timeout, and its bandwidth slows down the copy", () => {
  const { migrationPerGiB } = threeWorkers.durations;
  const limited = ofMachines({ tier: "db" }, { completionTimeoutPerGiB: 10, bandwidthPerMigration: "64Mi" });
  expect(settingsWith(policy("db", limited))).toEqual({ policyName: "db", timeoutPerGiB: 10, copyPerGiB: 16 });
  const unlimited = ofMachines({ tier: "db" }, { bandwidthPerMigration: 0 });
  expect(settingsWith(policy("db", unlimited))).toMatchObject({ timeoutPerGiB: 150, copyPerGiB: migrationPerGiB });
});

test("a migration names its policy and is canceled after the policy's timeout", () => {
  const simulation = simulateInMemory(threeWorkers, 1);
  simulation.runUntilIdle();
  simulation.addObject(
    policy("slow", { selectors: { namespaceSelector: {} }, bandwidthPerMigration: "1Mi", completionTimeoutPerGiB: 5 }),
  );
  simulation.addObject({
    apiVersion: "kubevirt.io/v1",
    kind: "VirtualMachineInstanceMigration",
    metadata: { name: "move", namespace: "vms" },
    spec: { vmiName: "vm-0" },
  });
  simulation.runUntilIdle();
  const migration = simulation.objects.get("VirtualMachineInstanceMigration/vms/move");
  expect(at(migration, "status", "migrationState")).toMatchObject({
    migrationPolicyName: "slow",
    failureReason: "Live migration is not completed after 20 seconds and has been aborted",
  });
});
