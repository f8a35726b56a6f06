import { expect, test } from "vitest";
import { hcoWith, renderedAsset } from "../../testing/asset-facts.ts";
import asset from "./asset.ts";

const said = {
  "usb-devices": '[{"resourceName": "kubevirt.io/storage", "selectors": [{"vendor": "46f4", "product": "0001"}]}]',
};

test("lists devices by resource name in both versions", () => {
  expect(renderedAsset(asset, { hco: hcoWith("v1beta1", said) })).toBe(`apiVersion: hco.kubevirt.io/v1beta1
kind: HyperConverged
metadata:
  name: kubevirt-hyperconverged
  namespace: openshift-cnv
spec:
  permittedHostDevices:
    usbHostDevices:
    - resourceName: kubevirt.io/storage
      selectors:
      - product: "0001"
        vendor: 46f4
`);
  expect(renderedAsset(asset, { hco: hcoWith("v1", said) })).toBe(`apiVersion: hco.kubevirt.io/v1
kind: HyperConverged
metadata:
  name: kubevirt-hyperconverged
  namespace: openshift-cnv
spec:
  virtualization:
    permittedHostDevices:
      usbHostDevices:
      - resourceName: kubevirt.io/storage
        selectors:
        - product: "0001"
          vendor: 46f4
`);
});
