import { expect, test } from "vitest";
import { renderedAsset } from "../../testing/asset-facts.ts";
import asset from "./asset.ts";

test("schedulable control planes get the argument", () => {
  expect(renderedAsset(asset)).toBe(`apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata:
  labels:
    machineconfiguration.openshift.io/role: master
  name: 99-openshift-machineconfig-master-psi-karg
spec:
  kernelArguments:
  - psi=1
`);
  expect(asset.conditions).toContainEqual({ type: "topology", field: "hasSchedulableMasters", value: "true" });
  expect(asset.reads).toMatchObject({ pool: { name: "master" } });
});
