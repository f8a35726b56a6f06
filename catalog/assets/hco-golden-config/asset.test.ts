import { expect, test } from "vitest";
import { hcoWith, renderedAsset } from "../../testing/asset-facts.ts";
import asset from "./asset.ts";

test("v1beta1 sets migrations, gates and the uninstall strategy", () => {
  expect(renderedAsset(asset, { hco: hcoWith("v1beta1") })).toBe(`apiVersion: hco.kubevirt.io/v1beta1
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

test("v1 sets no gates, because it would own their whole list", () => {
  expect(renderedAsset(asset, { hco: hcoWith("v1") })).toBe(`apiVersion: hco.kubevirt.io/v1
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

test("ignores the current values of the HyperConverged", () => {
  const changed = hcoWith("v1", {}, { virtualization: { liveMigrationConfig: { parallelMigrationsPerCluster: 50 } } });
  expect(renderedAsset(asset, { hco: changed })).toBe(renderedAsset(asset, { hco: hcoWith("v1") }));
});
