import { expect, test } from "vitest";
import { hcoWith, renderedAsset } from "../../testing/asset-facts.ts";
import asset from "./asset.ts";

const head = (version: string) => `apiVersion: hco.kubevirt.io/${version}
kind: HyperConverged
metadata:
  name: kubevirt-hyperconverged
  namespace: openshift-cnv
spec:
`;

test("requests the quota at the path of each version", () => {
  expect(renderedAsset(asset, { hco: hcoWith("v1beta1") })).toBe(
    `${head("v1beta1")}  enableApplicationAwareQuota: true\n`,
  );
  expect(renderedAsset(asset, { hco: hcoWith("v1") })).toBe(`${head("v1")}  deployment:
    applicationAwareConfig:
      enable: true
`);
});
