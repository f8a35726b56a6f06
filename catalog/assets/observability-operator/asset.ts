// Shows dashboards, and optionally incidents, in the console.

import { contentForms, type JsonMap } from "@virt/api";
import { hco, schema } from "@virt/cluster";
import { at } from "@virt/objects";
import { type AssetHcoFact, booleanOf, defineAsset } from "@virt/platform";
import { observability, uiPluginTarget } from "../observability.ts";

const target = uiPluginTarget("monitoring");

const { constant, constantFields, fields, kept, oneOf, optional, required } = contentForms;
const enabled = { enabled: true };

export default defineAsset({
  name: "observability-operator",
  feature: observability,
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
      reason: "The CRD requires this type for a plugin of this name.",
      source: "Cluster Observability Operator",
    },
    perses: {
      reason: "Shows dashboards in the console.",
      source: "operator default",
    },
    clusterHealthAnalyzer: {
      reason: "Shows incidents in the console. Earlier releases name this field incidents.",
      source: "annotation enable-incident-detection",
    },
    incidents: {
      reason: "Shows incidents in the console.",
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

// Returns the setting that shows incidents. Earlier releases use a different field name.
function incidents({ hco, plugins }: { hco: AssetHcoFact; plugins: JsonMap | undefined }): JsonMap {
  if (booleanOf(hco.annotations, "enable-incident-detection") !== true) return {};
  const monitoring = at(plugins, "properties", "spec", "properties", "monitoring", "properties");
  const isNew = at(monitoring, "clusterHealthAnalyzer") !== undefined;
  return { [isNew ? "clusterHealthAnalyzer" : "incidents"]: enabled };
}
