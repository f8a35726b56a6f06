import { expect, test } from "vitest";
import { hcoWith, renderedAsset } from "../../testing/asset-facts.ts";
import asset from "./asset.ts";

const said = {
  "vfio-devices": `
- {selector: "10DE:1EB8", resourceName: nvidia.com/TU104GL_Tesla_T4}
- {selector: "8086:0d4f", resourceName: intel.com/nic, externalResourceProvider: true}
`,
};
const list = (pad: string) => `${pad}permittedHostDevices:
${pad}  pciHostDevices:
${pad}  - pciDeviceSelector: 10DE:1EB8
${pad}    resourceName: nvidia.com/TU104GL_Tesla_T4
${pad}  - externalResourceProvider: true
${pad}    pciDeviceSelector: 8086:0d4f
${pad}    resourceName: intel.com/nic
`;
const head = (version: string) => `apiVersion: hco.kubevirt.io/${version}
kind: HyperConverged
metadata:
  name: kubevirt-hyperconverged
  namespace: openshift-cnv
spec:
`;

test("keeps selectors as written, in both versions", () => {
  expect(renderedAsset(asset, { hco: hcoWith("v1beta1", said) })).toBe(`${head("v1beta1")}${list("  ")}`);
  expect(renderedAsset(asset, { hco: hcoWith("v1", said) })).toBe(`${head("v1")}  virtualization:\n${list("    ")}`);
});

test("an invalid list is an error, not an empty list", () => {
  const hco = hcoWith("v1", { "vfio-devices": "[]" });
  expect(() => renderedAsset(asset, { hco })).toThrow(
    "cannot render the devices of annotation vfio-devices: must have 1 to 16",
  );
});
