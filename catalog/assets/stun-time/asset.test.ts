import type { JsonMap } from "@virt/api";
import { expect, test } from "vitest";
import { readMock } from "../../../test/integration/mock-crds/definitions.ts";
import { alphaKubeVirt, renderedAsset } from "../../testing/asset-facts.ts";
import asset from "./asset.ts";

const policies = readMock("migrationpolicies.yaml").schema as JsonMap;
const withoutTuning = JSON.parse(JSON.stringify(policies).replaceAll("downtimeTuning", "other")) as JsonMap;
const kubeVirtWith = (developerConfiguration: JsonMap) => ({
  ...alphaKubeVirt,
  spec: { configuration: { developerConfiguration } },
});
const gateMissing = 'nothing: "expected KubeVirt feature gate MigrationDowntimeTuning enabled, found not enabled"';

test("limits the pause of every migration", () => {
  expect(renderedAsset(asset, { kubeVirt: alphaKubeVirt, policies })).toBe(`apiVersion: migrations.kubevirt.io/v1alpha1
kind: MigrationPolicy
metadata:
  name: stun-time
spec:
  experimental:
    downtimeTuning: {}
  maxDowntimeMs: 1050
  selectors: {}
`);
});

test.each([
  { reason: "KubeVirt is absent", kubeVirt: undefined },
  { reason: "KubeVirt has no feature gates", kubeVirt: kubeVirtWith({}) },
  { reason: "another gate is enabled", kubeVirt: kubeVirtWith({ featureGates: ["Other"] }) },
  {
    reason: "the gate is also disabled",
    kubeVirt: kubeVirtWith({
      featureGates: ["MigrationDowntimeTuning"],
      disabledFeatureGates: ["MigrationDowntimeTuning"],
    }),
  },
])("renders nothing if $reason", ({ kubeVirt }) => {
  expect(renderedAsset(asset, { kubeVirt, policies })).toBe(gateMissing);
});

test("never renders the selectors alone for a release without downtime tuning", () => {
  const nothing = 'nothing: "MigrationPolicy of this KubeVirt release has no downtimeTuning"';
  expect(renderedAsset(asset, { kubeVirt: alphaKubeVirt, policies: withoutTuning })).toBe(nothing);
  expect(renderedAsset(asset, { kubeVirt: alphaKubeVirt })).toBe(nothing);
});
