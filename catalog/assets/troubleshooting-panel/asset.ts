// Adds the troubleshooting panel to the console, which finds signals that belong together (Korrel8r).

import { contentForms } from "@virt/api";
import { defineAsset } from "@virt/platform";
import { uiPluginTarget } from "../observability.ts";

const target = uiPluginTarget("troubleshooting-panel");

const { fields, oneOf, required } = contentForms;

export default defineAsset({
  name: "troubleshooting-panel",
  feature: {
    name: "troubleshooting-panel",
    description: "Related alerts, logs, metrics and events in the console",
    maturity: "TP",
  },
  tier: "always-on",
  phase: 1,
  order: 24,
  target,
  needs: [],
  dependency: "optional",
  switch: { annotation: "enable-korrel8r", default: "on" },
  forms: [{ apiVersion: target.apiVersion, spec: fields({ type: required(oneOf("TroubleshootingPanel")) }) }],
  reads: {},
  adoption: "whole",
  impact: "pods",
  values: {
    type: {
      reason: "The CRD ties it to the name of the plugin.",
      source: "Cluster Observability Operator",
    },
  },
  render: () => ({
    apiVersion: target.apiVersion,
    kind: target.kind,
    metadata: { name: target.name },
    spec: { type: "TroubleshootingPanel" },
  }),
});
