// docs/runbooks/README.md: the alerts there are, each with its page.

import { type Alert, advisorAlerts, platformAlerts } from "@virt/catalog";

export function runbookIndex(): string {
  return [
    "# Runbooks",
    "",
    "Generated from `catalog/alerts` (`make generate`). One page for each alert: what it means, what it does to the cluster,",
    "how to find the cause, and what to do. The commands in them are run by tests on a real API server, in the situation",
    "that the alert is about. `oc` works in the place of `kubectl`; commands need the rights of a cluster administrator.",
    "",
    ...section(
      "Platform",
      platformAlerts,
      "A PrometheusRule that the controller applies itself while it is active. Its environment variable `RUNBOOK_URL_TEMPLATE` (`%s` stands for the alert) says where `runbook_url` leads, if not here.",
    ),
    ...section("Advisor", advisorAlerts, "The PrometheusRule `config/prometheus/advisor/rule.yaml`."),
  ].join("\n");
}

function section(title: string, alerts: readonly Alert[], words: string): readonly string[] {
  return [
    `## ${title}`,
    "",
    words,
    "",
    "| alert | after | severity | health impact | says |",
    "|---|---|---|---|---|",
    ...alerts.map(row),
    "",
  ];
}

function row({ alert, lasting, severity, impact, summary }: Alert): string {
  return `| [${alert}](${alert}.md) | ${lasting} | ${severity} | ${impact} | ${summary} |`;
}
