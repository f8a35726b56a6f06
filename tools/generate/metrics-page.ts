// Generates docs/metrics.md from the operator's metric declarations.

import { metricPrefixes } from "@virt/api";
// oxlint-disable-next-line no-restricted-imports -- declarations are code of the operator, and this page is about them
import { declaredMetrics } from "../../apps/operator/src/declared-metrics.ts";

type Declared = {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labelNames: readonly string[];
};

type Controller = keyof typeof metricPrefixes;

function declaredBy(controller: Controller): ReadonlyMap<string, Declared> {
  const all = declaredMetrics(controller).getMetricsAsArray() as unknown as readonly Declared[];
  const prefix = metricPrefixes[controller];
  return new Map(all.map((one) => [one.name.startsWith(prefix) ? one.name.slice(prefix.length) : one.name, one]));
}

export function metricNames(controller: Controller): readonly string[] {
  return [...declaredBy(controller).values()].map(({ name }) => name);
}

/** Returns the exposition text of a process that has done nothing yet. */
export function declaredText(controller: Controller): Promise<string> {
  return declaredMetrics(controller).metrics();
}

export function metricsPage(): string {
  const [advisor, platform] = [declaredBy("advisor"), declaredBy("platform")];
  const isShared = (suffix: string) => isTheSame(advisor.get(suffix), platform.get(suffix));
  const only = (from: ReadonlyMap<string, Declared>) =>
    [...from].filter(([suffix]) => !isShared(suffix)).map(([, one]) => one);
  const shared = [...advisor].filter(([suffix]) => isShared(suffix));
  const both = shared.filter(([suffix, { name }]) => suffix !== name);
  const standard = shared.filter(([suffix, { name }]) => suffix === name).map(([, one]) => one);
  return [
    "# Metrics",
    "",
    "Generated from the declarations in the code (`make generate`). If `--metrics-bind-address` is set, as in the shipped manifests,",
    "the operator serves these metrics at `/metrics` over TLS. Clients need a token with permission to `get` this path.",
    "",
    "The operator removes a series when its subject is gone. An ignored VirtPlatformConfig keeps only its phase, and an object",
    "that is no longer managed keeps no series. This page omits the labels that Prometheus adds, such as `pod` and `job`. The",
    "[runbooks](runbooks/README.md) describe the alerts on these metrics.",
    "",
    "The metrics of the platform controller formerly started with `kubevirt_autopilot_`, like those of virt-platform-autopilot. If you have",
    "your own rules or dashboards for these names, set `--legacy-metric-names` until you have changed them. The operator then exposes its",
    "metrics under both names. The alerts of virt-platform-autopilot select no job, so they also evaluate the series with the old names.",
    "",
    "To get a dashboard in Grafana, import `config/dashboards/virt-operators.json`. To get it in the OpenShift console, apply",
    "`config/dashboards/console_dashboard.yaml` with `-n openshift-config-managed`.",
    "",
    ...section("Advisor", only(advisor)),
    ...section("Platform", only(platform)),
    ...section(
      "Both controllers",
      both.map(([suffix, one]) => ({ ...one, name: `<prefix>${suffix}` })),
      "`<prefix>` is `kubevirt_advisor_` or `kubevirt_platform_`. A process that runs both controllers exposes the metrics of requests,\ncircuit breakers, and watches only once, with the prefix of the advisor.",
    ),
    ...section("Process", standard, "These names are the ones that Prometheus clients and client-go use."),
  ].join("\n");
}

function isTheSame(left: Declared | undefined, right: Declared | undefined): boolean {
  return left !== undefined && left.help === right?.help;
}

function section(title: string, metrics: readonly Declared[], words?: string): readonly string[] {
  return [
    `## ${title}`,
    "",
    ...(words === undefined ? [] : [words, ""]),
    "| metric | type | labels | meaning |",
    "|---|---|---|---|",
    ...metrics.toSorted(byName).map(row),
    "",
  ];
}

function byName({ name: left }: Declared, { name: right }: Declared): number {
  return left < right ? -1 : 1;
}

function row({ name, type, labelNames, help }: Declared): string {
  const labels = labelNames.map((label) => `\`${label}\``).join(", ") || "none";
  return `| \`${name}\` | ${type} | ${labels} | ${help.replaceAll("|", "\\|")} |`;
}
