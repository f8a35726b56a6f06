// Tells people when the operator needs them.

import { defineAsset } from "@virt/platform";
import { ownMonitoring } from "../own-monitoring.ts";
import { type Alert, alerts } from "./alerts.ts";

const operator = "virt-platform-operator";
const target = {
  apiVersion: "monitoring.coreos.com/v1",
  kind: "PrometheusRule",
  name: `${operator}-alerts`,
  namespace: "$operator",
  crd: "prometheusrules.monitoring.coreos.com",
} as const;

/** `%s` stands for the alert. */
const runbooks = "https://github.com/kubevirt/virt-operators/blob/main/docs/runbooks/%s.md";

export default defineAsset({
  ...ownMonitoring,
  name: "prometheus-alerts",
  target,
  render: ({ ownNamespace, runbookUrlTemplate }) => ({
    apiVersion: target.apiVersion,
    kind: target.kind,
    metadata: {
      name: target.name,
      namespace: ownNamespace,
      labels: { prometheus: "k8s", role: "alert-rules" },
    },
    spec: {
      groups: [
        {
          name: operator,
          interval: "30s",
          rules: alerts.map((alert) => ruleOf(alert, runbookUrlTemplate ?? runbooks)),
        },
      ],
    },
  }),
});

// The last value of five minutes: a scrape that is missed resolves no alert.
function ruleOf({ alert, selector, test, lasting, severity, impact, summary, description }: Alert, template: string) {
  return {
    alert,
    expr: `last_over_time(kubevirt_autopilot_${selector}[5m]) ${test}`,
    for: lasting,
    labels: {
      severity,
      operator_health_impact: impact,
      operator,
      kubernetes_operator_part_of: "kubevirt",
      kubernetes_operator_component: operator,
    },
    annotations: { summary, description, runbook_url: template.replaceAll("%s", alert) },
  };
}
