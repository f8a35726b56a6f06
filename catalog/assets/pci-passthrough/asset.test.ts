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
  { reason: "applies the arguments to an unknown pool", facts: {}, rendered: golden },
  { reason: "applies the arguments to a pool without them", facts: { pool: poolWith([]) }, rendered: golden },
  {
    reason: "applies all arguments to a pool with some of them",
    facts: { pool: poolWith(["iommu=pt"]) },
    rendered: golden,
  },
  {
    reason: "applies nothing to a pool with all arguments",
    facts: { pool: poolWith(["a=b", ...both]) },
    rendered: 'nothing: "AlreadyEffective"',
  },
  {
    reason: "keeps its own object in a pool with all arguments",
    facts: { pool: poolWith(both), own },
    rendered: golden,
  },
  {
    reason: "an argument that is overridden later counts as missing",
    facts: { pool: poolWith([...both, "iommu=off"]) },
    rendered: golden,
  },
  {
    reason: "waits for unknown arguments of the pool",
    facts: { pool: poolWith(undefined) },
    rendered: 'nothing: "the kernel arguments of pool worker are not known yet"',
  },
  {
    reason: "keeps its own object while the arguments are unknown",
    facts: { pool: poolWith(undefined), own },
    rendered: golden,
  },
])("$reason", ({ facts, rendered }) => {
  expect(renderedAsset(asset, facts)).toBe(rendered);
});
