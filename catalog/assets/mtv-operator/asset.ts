// Starts the Migration Toolkit for Virtualization with its console pages, validation and volume populators.

import { contentForms, type JsonMap } from "@virt/api";
import { schema } from "@virt/cluster";
import { at } from "@virt/objects";
import { defineAsset } from "@virt/platform";

const target = {
  apiVersion: "forklift.konveyor.io/v1beta1",
  kind: "ForkliftController",
  name: "forklift-controller",
  namespace: "openshift-mtv",
  crd: "forkliftcontrollers.forklift.konveyor.io",
  operator: "Migration Toolkit for Virtualization",
} as const;

const features = ["feature_ui_plugin", "feature_validation", "feature_volume_populator"];

const { fields, kept, oneOf } = contentForms;

export default defineAsset({
  name: "mtv-operator",
  feature: { name: "mtv", description: "The migration toolkit for virtualization", maturity: "TP" },
  tier: "always-on",
  phase: 1,
  order: 21,
  target,
  needs: [],
  dependency: "optional",
  switch: { annotation: "enable-mtv", default: "on" },
  forms: [
    {
      apiVersion: target.apiVersion,
      spec: fields(Object.fromEntries(features.map((feature) => [feature, kept(oneOf("true", true))]))),
    },
  ],
  reads: { controllers: schema(target.crd, "v1beta1") },
  singleton: true,
  adoption: "fieldwise",
  impact: "pods",
  values: {
    feature_ui_plugin: {
      reason: "Adds the toolkit's pages to the console.",
      source: "operator default",
    },
    feature_validation: {
      reason: "Warns about VMs that cannot be migrated without changes.",
      source: "operator default",
    },
    feature_volume_populator: {
      reason: "Copies disks with volume populators.",
      source: "operator default",
    },
  },
  render: ({ controllers }) => ({
    apiVersion: target.apiVersion,
    kind: target.kind,
    metadata: { name: target.name, namespace: target.namespace },
    spec: Object.fromEntries(features.map((feature) => [feature, on(controllers, feature)])),
  }),
});

// Returns the value that enables a feature. It is a string or a boolean, depending on the CRD. Unknown fields are
// removed later.
function on(controllers: JsonMap | undefined, feature: string): string | boolean {
  const type = at(controllers, "properties", "spec", "properties", feature, "type");
  return type === "boolean" ? true : "true";
}
