// Shows dashboards, and optionally incidents, in the console.

import { contentForms, type JsonMap } from "@virt/api";
import { hco, schema } from "@virt/cluster";
import { at } from "@virt/objects";
import { type AssetHcoFact, booleanOf, defineAsset } from "@virt/platform";

// The CRD ties the plugin's type to its name.
const target = {
  apiVersion: "observability.openshift.io/v1alpha1",
  kind: "UIPlugin",
  name: "monitoring",
  crd: "uiplugins.observability.openshift.io",
  operator: "Cluster Observability Operator",
} as const;

const { constant, constantFields, fields, kept, oneOf, optional, required } = contentForms;
const enabled = { enabled: true };

export default defineAsset({
  name: "observability-operator",
  feature: { name: "observability", description: "Dashboards and incidents in the console", maturity: "TP" },
  tier: "always-on",
  phase: 1,
  order: 23,
  target,
  needs: [],
  dependency: "optional",
  switch: { annotation: "enable-observability", default: "on" },
  forms: [
    {
      apiVersion: target.apiVersion,
      spec: fields({
        type: required(oneOf("Monitoring")),
        monitoring: kept(
          fields({
            perses: kept(constant(enabled)),
            incidents: optional(fields(constantFields(enabled, "optional"))),
            clusterHealthAnalyzer: optional(fields(constantFields(enabled, "optional"))),
          }),
        ),
      }),
    },
  ],
  reads: { hco: hco(), plugins: schema(target.crd, "v1alpha1") },
  adoption: "whole",
  impact: "pods",
  values: {
    type: {
      reason: "The CRD ties it to the name of the plugin.",
      source: "Cluster Observability Operator",
    },
    perses: {
      reason: "Dashboards in the console.",
      source: "operator default",
    },
    clusterHealthAnalyzer: {
      reason: "Incidents in the console (called incidents in earlier releases).",
      source: "annotation enable-incident-detection",
    },
    incidents: {
      reason: "Incidents in the console.",
      source: "annotation enable-incident-detection",
    },
  },
  render: (facts) => ({
    apiVersion: target.apiVersion,
    kind: target.kind,
    metadata: { name: target.name },
    spec: { type: "Monitoring", monitoring: { perses: enabled, ...incidents(facts) } },
  }),
});

// Earlier releases use another field name.
function incidents({ hco, plugins }: { hco: AssetHcoFact; plugins: JsonMap | undefined }): JsonMap {
  if (booleanOf(hco.annotations, "enable-incident-detection") !== true) return {};
  const monitoring = at(plugins, "properties", "spec", "properties", "monitoring", "properties");
  const isNew = at(monitoring, "clusterHealthAnalyzer") !== undefined;
  return { [isNew ? "clusterHealthAnalyzer" : "incidents"]: enabled };
}
