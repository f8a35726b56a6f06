import type { JsonMap } from "@virt/api";
import { expect, test } from "vitest";
import { readMock } from "../../../test/integration/mock-crds/definitions.ts";
import { renderedAsset } from "../../testing/asset-facts.ts";
import asset from "./asset.ts";

const golden = (on: string) => `apiVersion: forklift.konveyor.io/v1beta1
kind: ForkliftController
metadata:
  name: forklift-controller
  namespace: openshift-mtv
spec:
  feature_ui_plugin: ${on}
  feature_validation: ${on}
  feature_volume_populator: ${on}
`;
const features = ["feature_ui_plugin", "feature_validation", "feature_volume_populator"];
const booleans = {
  properties: { spec: { properties: Object.fromEntries(features.map((name) => [name, { type: "boolean" }])) } },
};

test("switches are texts, or booleans if the CRD requires it", () => {
  const controllers = readMock("forkliftcontrollers.yaml").schema as JsonMap;
  expect(renderedAsset(asset, { controllers })).toBe(golden('"true"'));
  expect(renderedAsset(asset, { controllers: booleans })).toBe(golden("true"));
});
