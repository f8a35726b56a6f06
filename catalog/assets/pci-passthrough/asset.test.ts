import { expect, test } from "vitest";
import { renderedAsset } from "../../testing/asset-facts.ts";
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
  { reason: "a pool that nobody knows gets them", facts: {}, rendered: golden },
  { reason: "a pool without them gets them", facts: { pool: poolWith([]) }, rendered: golden },
  { reason: "a pool with some of them gets all", facts: { pool: poolWith(["iommu=pt"]) }, rendered: golden },
  {
    reason: "a pool with all of them gets nothing",
    facts: { pool: poolWith(["a=b", ...both]) },
    rendered: 'nothing: "AlreadyEffective"',
  },
  { reason: "unless they are ours", facts: { pool: poolWith(both), own }, rendered: golden },
  {
    reason: "one that is taken back counts as missing",
    facts: { pool: poolWith([...both, "iommu=off"]) },
    rendered: golden,
  },
  {
    reason: "what is not known yet is waited for",
    facts: { pool: poolWith(undefined) },
    rendered: 'nothing: "the kernel arguments of pool worker are not known yet"',
  },
  { reason: "but ours stay as they are meanwhile", facts: { pool: poolWith(undefined), own }, rendered: golden },
])("$reason", ({ facts, rendered }) => {
  expect(renderedAsset(asset, facts)).toBe(rendered);
});
