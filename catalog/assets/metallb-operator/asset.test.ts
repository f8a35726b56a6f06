import { expect, test } from "vitest";
import { renderedAsset } from "../../testing/asset-facts.ts";
import asset from "./asset.ts";

test("renders an empty spec", () => {
  expect(renderedAsset(asset)).toBe(`apiVersion: metallb.io/v1beta1
kind: MetalLB
metadata:
  name: metallb
  namespace: metallb-system
spec: {}
`);
});
