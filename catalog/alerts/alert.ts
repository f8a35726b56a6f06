// What an alert is, and how Prometheus is told about it.

import { type fieldManagers, repositoryUrl } from "@virt/api";

/** Each has a page in docs/runbooks. */
export type Alert = {
  readonly alert: string;
  readonly expr: string;
  readonly lasting: string;
  readonly severity: "warning" | "info";
  readonly impact: "critical" | "warning" | "none";
  readonly summary: string;
  readonly description: string;
};

/** `%s` stands for the alert. */
const runbooks = `${repositoryUrl}/blob/main/docs/runbooks/%s.md`;

/** The last value of five minutes: a scrape that is missed resolves no alert. */
export const last = (series: string): string => `last_over_time(${series}[5m])`;

type Operator = (typeof fieldManagers)[keyof typeof fieldManagers];

/** The `spec` of a PrometheusRule; runbooks are in our own repository unless a template says where else. */
export function rulesFor(operator: Operator, alerts: readonly Alert[], runbookUrlTemplate = runbooks) {
  const rules = alerts.map((alert) => ruleOf(operator, alert, runbookUrlTemplate));
  return { groups: [{ name: operator, interval: "30s", rules }] };
}

function ruleOf(operator: Operator, alert: Alert, template: string) {
  const { expr, lasting, severity, impact, summary, description } = alert;
  return {
    alert: alert.alert,
    expr,
    for: lasting,
    labels: {
      severity,
      operator_health_impact: impact,
      operator,
      kubernetes_operator_part_of: "kubevirt",
      kubernetes_operator_component: operator,
    },
    annotations: { summary, description, runbook_url: template.replaceAll("%s", alert.alert) },
  };
}
