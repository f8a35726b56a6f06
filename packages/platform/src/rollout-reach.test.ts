import type { KubeObject } from "@virt/api";
import type { Topology } from "@virt/cluster";
import { expect, test } from "vitest";
import { rolloutReach } from "./reporting/outcome-events.ts";

const topology = { workerCount: 3, masterCount: 1 } as Topology;
const machineConfig = (role: string): KubeObject => ({
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfig",
  metadata: { name: "m", labels: { "machineconfiguration.openshift.io/role": role } },
});
const kubeletConfig = (label: string): KubeObject => ({
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "KubeletConfig",
  metadata: { name: "k" },
  spec: { machineConfigPoolSelector: { matchLabels: { [label]: "" } } },
});

test.each([
  ["a MachineConfig of the workers", machineConfig("worker"), { pool: "worker", nodes: 3 }],
  ["a MachineConfig of the control plane", machineConfig("master"), { pool: "master", nodes: 1 }],
  [
    "a KubeletConfig",
    kubeletConfig("pools.operator.machineconfiguration.openshift.io/worker"),
    { pool: "worker", nodes: 3 },
  ],
  ["a pool without a node count", machineConfig("infra"), undefined],
  ["a selector of another kind", kubeletConfig("custom"), undefined],
  ["an object that reaches no node", { ...machineConfig("worker"), apiVersion: "v1", kind: "ConfigMap" }, undefined],
])("%s", (_, object, reach) => expect(rolloutReach(object, topology)).toEqual(reach));
