// Defines alerts and their Prometheus rules, including the alert that both controllers have.

import {
  contentForms,
  type fieldManagers,
  metricPrefixes,
  metricsServices,
  repositoryUrl,
  type ValueForm,
} from "@virt/api";

/** Each alert has a page in docs/runbooks. */
export type Alert = {
  readonly alert: string;
  readonly expr: string;
  readonly lasting: string;
  readonly severity: "warning" | "info";
  readonly impact: "critical" | "warning" | "none";
  readonly summary: string;
  readonly description: string;
};

/** `%s` is the name of the alert. */
const runbooks = `${repositoryUrl}/blob/main/docs/runbooks/%s.md`;

type AlertedController = keyof typeof metricPrefixes;
type Operator = (typeof fieldManagers)[AlertedController];

/**
 * Returns the last value within 5 minutes, so that a missed scrape does not resolve an alert. Selects the series of our
 * own job, because another product may expose the same names. `labels` are more matchers, such as `name="a"`.
 */
export function last(controller: AlertedController, metric: string, labels?: string): string {
  const matchers = [`job="${metricsServices[controller]}"`, ...(labels === undefined ? [] : [labels])].join(",");
  return `last_over_time(${metricPrefixes[controller]}${metric}{${matchers}}[5m])`;
}

/** Returns the `spec` of a PrometheusRule. Runbooks are in the project's repository by default. */
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

/** Returns the allowed content of `groups`, for the admission policies. Only the runbook URLs may vary. */
export function ruleForms(operator: Operator, alerts: readonly Alert[]): ValueForm {
  const { constantFields, fields, listOf, oneOf, required, text, tuple } = contentForms;
  const rules = alerts.map((alert) => {
    const { annotations, ...rule } = ruleOf(operator, alert, runbooks);
    const texts = { ...constantFields(annotations, "required"), runbook_url: required(text("https?://[^ ]+", 2048)) };
    const { labels, ...plain } = rule;
    return fields({
      ...constantFields(plain, "required"),
      labels: required(oneOf(labels)),
      annotations: required(fields(texts)),
    });
  });
  const group = { name: required(oneOf(operator)), interval: required(oneOf("30s")), rules: required(tuple(...rules)) };
  return listOf([fields(group)], 1, 1000);
}

/** Fires if no replica is the leader. A stopped process exports no metrics, so a missing series also fires the alert. */
export function noLeader(alert: string, controller: AlertedController): Alert {
  const leader = last(controller, "leader");
  return {
    alert,
    expr: `max(${leader}) < 1 or absent(${leader})`,
    lasting: "10m",
    severity: "warning",
    impact: "critical",
    summary: `No replica of the ${controller} controller is active.`,
    description: `For 10 minutes no replica of the ${controller} controller has held its lease, or none could be scraped. Applied objects stay in place, but changes to them are neither detected nor corrected.`,
  };
}
