// Generates docs/runbooks/README.md: the alerts and their runbooks.

import { type Alert, advisorAlerts, platformAlerts } from "@virt/catalog";

export function runbookIndex(): string {
  return [
    "# Runbooks",
    "",
    "Generated from `catalog/alerts` (`make generate`). Each alert has a page with its meaning, its impact on the cluster, the",
    "diagnosis, and the mitigation. Tests run the commands of these pages against a real API server while the alert condition",
    "exists. You can use `oc` instead of `kubectl`. The commands need cluster administrator permissions.",
    "",
    ...section(
      "Platform",
      platformAlerts,
      "While the controller is active, it applies the PrometheusRule for these alerts. To change the target of `runbook_url`, set the\nenvironment variable `RUNBOOK_URL_TEMPLATE` of the controller. In the template, `%s` stands for the name of the alert.",
    ),
    ...section(
      "Advisor",
      advisorAlerts,
      "The PrometheusRule `config/prometheus/advisor/rule.yaml` contains these alerts.",
    ),
  ].join("\n");
}

function section(title: string, alerts: readonly Alert[], words: string): readonly string[] {
  return [
    `## ${title}`,
    "",
    words,
    "",
    "| alert | fires after | severity | health impact | summary |",
    "|---|---|---|---|---|",
    ...alerts.map(row),
    "",
  ];
}

function row({ alert, lasting, severity, impact, summary }: Alert): string {
  return `| [${alert}](${alert}.md) | ${lasting} | ${severity} | ${impact} | ${summary} |`;
}
