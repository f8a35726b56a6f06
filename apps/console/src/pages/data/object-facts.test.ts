import type { KubeObject } from "@virt/api";
import { expect, test } from "vitest";
import { nodeFacts, vmFacts } from "./object-facts.ts";

const vm = (name: string, status: object) =>
  ({
    apiVersion: "kubevirt.io/v1",
    kind: "VirtualMachineInstance",
    metadata: { name, namespace: "vms" },
    status,
  }) as unknown as KubeObject;
const node = {
  apiVersion: "v1",
  kind: "Node",
  metadata: {
    name: "worker-0",
    labels: { "node-role.kubernetes.io/worker": "" },
    annotations: { "machineconfiguration.openshift.io/currentConfig": "rendered-1" },
  },
  spec: { unschedulable: true },
  status: { conditions: [{ type: "Ready", status: "True" }] },
} as unknown as KubeObject;

test("a node shows its role, its configuration and its VMs", () => {
  const here = [
    vm("b", { nodeName: "worker-0" }),
    vm("a", { nodeName: "worker-0" }),
    vm("c", { nodeName: "worker-1" }),
  ];
  const facts = new Map(nodeFacts(node, here).map(({ term, text }) => [term, text]));
  expect([...facts.values()]).toEqual(["worker", "True", "Cordoned", "rendered-1", "vms/a, vms/b"]);
});

test("omits facts that cannot be listed instead of showing None", () => {
  expect(nodeFacts(node, undefined).map(({ text }) => text)).not.toContain("None");
  expect(nodeFacts(node, []).map(({ text }) => text)).toContain("None");
});

test("a VM shows its phase, node and migration target", () => {
  const facts = vmFacts(
    vm("a", { phase: "Running", nodeName: "worker-0", migrationState: { targetNode: "worker-1" } }),
  );
  expect(facts.map(({ text }) => text)).toEqual(["Running", "worker-0", "Moves to worker-1"]);
});
