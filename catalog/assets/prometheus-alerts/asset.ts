// Alerts administrators when the operator needs attention.

import { contentForms, fieldManagers } from "@virt/api";
import { defineAsset } from "@virt/platform";
import { ruleForms, rulesFor } from "../../alerts/alert.ts";
import { platformAlerts } from "../../alerts/platform.ts";
import { ownMonitoring } from "../own-monitoring.ts";

const target = {
  apiVersion: "monitoring.coreos.com/v1",
  kind: "PrometheusRule",
  name: `${fieldManagers.platform}-alerts`,
  namespace: "$operator",
  crd: "prometheusrules.monitoring.coreos.com",
  operator: "Prometheus Operator",
} as const;

const labels = { prometheus: "k8s", role: "alert-rules" };
const { fields, required } = contentForms;
const groups = required(ruleForms(fieldManagers.platform, platformAlerts));

export default defineAsset({
  ...ownMonitoring,
  name: "prometheus-alerts",
  target,
  forms: [{ apiVersion: target.apiVersion, labels, spec: fields({ groups }) }],
  values: {
    "metadata.labels": {
      reason: "Prometheus selects rules by their labels.",
      source: "OpenShift monitoring",
    },
    "spec.groups": {
      reason: "Alerts administrators when the operator needs attention.",
      source: "operator default",
      shown: "the alerts of the platform controller; the runbooks page lists them",
    },
  },
  render: ({ ownNamespace, runbookUrlTemplate }) => ({
    apiVersion: target.apiVersion,
    kind: target.kind,
    metadata: { name: target.name, namespace: ownNamespace, labels },
    spec: rulesFor(fieldManagers.platform, platformAlerts, runbookUrlTemplate),
  }),
});
