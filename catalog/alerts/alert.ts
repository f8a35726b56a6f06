// What an alert is, how Prometheus is told about it, and the one that both controllers have.

import { contentForms, type fieldManagers, repositoryUrl, type ValueForm } from "@virt/api";

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

/** The form of `groups`: only the place of runbooks differs. */
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

type AlertedController = { readonly alert: string; readonly prefix: string; readonly words: string };

/** Nobody does the work of a controller. A process that is gone takes its series along, so their absence counts. */
export function noLeader({ alert, prefix, words }: AlertedController): Alert {
  const leader = last(`${prefix}leader`);
  return {
    alert,
    expr: `max(${leader}) < 1 or absent(${leader})`,
    lasting: "10m",
    severity: "warning",
    impact: "critical",
    summary: `No replica of the ${words} controller is active.`,
    description: `For 10 minutes no replica of the ${words} controller has held its lease, or none could be scraped. Nothing that is already applied is lost, but nothing is watched or corrected.`,
  };
}
