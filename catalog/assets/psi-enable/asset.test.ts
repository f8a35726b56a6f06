import { expect, test } from "vitest";
import { renderedAsset } from "../../testing/asset-facts.ts";
import asset from "./asset.ts";

test("workers get the argument unless it is already effective", () => {
  expect(renderedAsset(asset)).toBe(`apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata:
  labels:
    machineconfiguration.openshift.io/role: worker
  name: 99-openshift-machineconfig-worker-psi-karg
spec:
  kernelArguments:
  - psi=1
`);
  expect(renderedAsset(asset, { pool: { labels: {}, kernelArguments: ["psi=1"] } })).toBe(
    'nothing: "AlreadyEffective"',
  );
});
