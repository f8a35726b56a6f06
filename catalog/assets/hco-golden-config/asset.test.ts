// The golden HyperConverged, in both versions.

import { expect, test } from "vitest";
import { hcoWith, rendered } from "../world.ts";
import asset from "./asset.ts";

test("v1beta1 keeps migrations, gates and the strategy", () => {
  expect(rendered(asset, { hco: hcoWith("v1beta1") })).toBe(`apiVersion: hco.kubevirt.io/v1beta1
kind: HyperConverged
metadata:
  name: kubevirt-hyperconverged
  namespace: openshift-cnv
spec:
  featureGates:
    alignCPUs: false
    downwardMetrics: false
  liveMigrationConfig:
    allowAutoConverge: false
    allowPostCopy: false
    parallelMigrationsPerCluster: 5
  uninstallStrategy: BlockUninstallIfWorkloadsExist
`);
});

test("v1 keeps the same without gates, whose list it would own as a whole", () => {
  expect(rendered(asset, { hco: hcoWith("v1") })).toBe(`apiVersion: hco.kubevirt.io/v1
kind: HyperConverged
metadata:
  name: kubevirt-hyperconverged
  namespace: openshift-cnv
spec:
  deployment:
    uninstallStrategy: BlockUninstallIfWorkloadsExist
  virtualization:
    liveMigrationConfig:
      allowAutoConverge: false
      allowPostCopy: false
      parallelMigrationsPerCluster: 5
`);
});

test("what somebody set in the HyperConverged changes nothing of it", () => {
  const changed = hcoWith("v1", {}, { virtualization: { liveMigrationConfig: { parallelMigrationsPerCluster: 50 } } });
  expect(rendered(asset, { hco: changed })).toBe(rendered(asset, { hco: hcoWith("v1") }));
});
