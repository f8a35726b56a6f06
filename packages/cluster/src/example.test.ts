// An example of all cluster facts: the selected HyperConverged, the hardware, and the nodes that run VMs.

import type { KubeObject } from "@virt/api";
import { expect, test } from "vitest";
import { chooseHyperConverged, healthOf, nodesForVms, readHardware, readTopology } from "./index.ts";

const hcoIn = (namespace: string): KubeObject => ({
  apiVersion: "hco.kubevirt.io/v1",
  kind: "HyperConverged",
  metadata: { name: "kubevirt-hyperconverged", namespace },
});
const node = (name: string, role: string, labels: Readonly<Record<string, string>> = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, labels: { [`node-role.kubernetes.io/${role}`]: "", ...labels } },
});
const nodes = [
  node("master-0", "master"),
  node("worker-0", "worker", { "kubevirt.io/schedulable": "true" }),
  node("worker-1", "worker", { "feature.node.kubernetes.io/pci-0300_10de.present": "true" }),
];

test("both controllers derive the same facts from the same objects", () => {
  expect(chooseHyperConverged([hcoIn("elsewhere"), hcoIn("openshift-cnv")], "")).toEqual({
    kind: "found",
    object: hcoIn("openshift-cnv"),
  });
  expect(readHardware(nodes)).toMatchObject({ pciDevicesPresent: true, gpuPresent: false });
  const topology = readTopology({ infrastructure: undefined, scheduler: undefined, nodes, crds: new Set() });
  expect(topology).toMatchObject({ masterCount: 1, workerCount: 2, isCompact: false, isOpenShift: false });
  expect(nodesForVms(nodes).map(({ metadata }) => metadata.name)).toEqual(["worker-0"]);
  expect(healthOf(hcoIn("openshift-cnv"))).toEqual({
    state: "waiting",
    message: "HyperConverged 'kubevirt-hyperconverged' has no status yet",
  });
});
