// Kernel arguments for handing PCI devices to VMs.

import { expect, test } from "vitest";
import { rendered } from "../world.ts";
import asset from "./asset.ts";

const golden = `apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata:
  labels:
    machineconfiguration.openshift.io/role: worker
  name: 50-virt-pci-passthrough
spec:
  kernelArguments:
  - intel_iommu=on
  - iommu=pt
`;
const own = { apiVersion: "machineconfiguration.openshift.io/v1", kind: "MachineConfig", metadata: { name: "x" } };
const both = ["intel_iommu=on", "iommu=pt"];
const poolWith = (kernelArguments: readonly string[] | undefined) => ({ labels: {}, kernelArguments });

test.each([
  { reason: "a pool that nobody knows gets them", facts: {}, told: golden },
  { reason: "a pool without them gets them", facts: { pool: poolWith([]) }, told: golden },
  { reason: "a pool with some of them gets all", facts: { pool: poolWith(["iommu=pt"]) }, told: golden },
  {
    reason: "a pool with all of them gets nothing",
    facts: { pool: poolWith(["a=b", ...both]) },
    told: 'nothing: "AlreadyEffective"',
  },
  { reason: "unless they are ours", facts: { pool: poolWith(both), own }, told: golden },
  {
    reason: "one that is taken back counts as missing",
    facts: { pool: poolWith([...both, "iommu=off"]) },
    told: golden,
  },
  {
    reason: "what is not known yet is waited for",
    facts: { pool: poolWith(undefined) },
    told: 'nothing: "the kernel arguments of pool worker are not known yet"',
  },
  { reason: "but ours stay as they are meanwhile", facts: { pool: poolWith(undefined), own }, told: golden },
])("$reason", ({ facts, told }) => {
  expect(rendered(asset, facts)).toBe(told);
});
