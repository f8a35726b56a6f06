import { expect, test } from "vitest";
import { hcoWith, renderedAsset } from "../../testing/asset-facts.ts";
import asset from "./asset.ts";

const devices = (...selectors: readonly string[]) =>
  JSON.stringify(selectors.map((selector) => ({ selector, resourceName: "a.b/c" })));
const renderedFor = (...selectors: readonly string[]) =>
  renderedAsset(asset, { hco: hcoWith("v1", { "vfio-devices": devices(...selectors) }) });
const encode = (text: string) => `data:text/plain;charset=utf-8;base64,${Buffer.from(text).toString("base64")}`;

test("writes the ids in lower case, sorted, in one file", () => {
  expect(renderedFor("10DE:1EB8", "10DE:10F8", "8086:0D4F")).toBe(`apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata:
  labels:
    machineconfiguration.openshift.io/role: worker
  name: 50-virt-vfio-assign
spec:
  config:
    ignition:
      version: 3.2.0
    storage:
      files:
      - contents:
          source: ${encode("options vfio-pci ids=10de:10f8,10de:1eb8,8086:0d4f\n")}
        mode: 420
        overwrite: true
        path: /etc/modprobe.d/virt-vfio.conf
      - contents:
          source: ${encode("vfio-pci\n")}
        mode: 420
        overwrite: true
        path: /etc/modules-load.d/virt-vfio.conf
`);
});

test("order and case of the ids do not reboot a pool", () => {
  expect(renderedFor("8086:0d4f", "10de:1eb8")).toBe(renderedFor("10DE:1EB8", "8086:0D4F"));
});
