// Every shipped alert fires and resolves in Prometheus's own evaluation.
// @module-tag thorough

import { expect, test } from "vitest";
import { type AlertScenario, alertScenarios } from "./alert-scenarios.ts";
import { rules, runPromtool } from "./promtool.ts";

const patience = 600_000; // promtool may first need a download
const all = rules.groups.flatMap((group) => group.rules);

test("Prometheus accepts the rules without a warning", { timeout: patience }, () => {
  const checked = runPromtool(["check", "rules", "--lint-fatal", "rules.json"], { files: { "rules.json": rules } });
  expect(checked).toEqual({ code: 0, output: expect.stringContaining(`${all.length} rules found`) });
});

test("every alert has a scenario in which it fires and clears", () => {
  const reports = alertScenarios
    .filter(({ fires, quiet }) => fires.length > 0 && quiet.length > 0)
    .map(({ alert }) => alert);
  expect(new Set(reports)).toEqual(new Set(all.map(({ alert }) => alert)));
});

test.each(alertScenarios)("$alert: $reason", { timeout: patience }, (scenario) => {
  expect(runPromtool(["test", "rules", "scenario.json"], { files: filesOf(scenario) })).toMatchObject({ code: 0 });
});

test("a scenario with an alert at the wrong time fails", () => {
  const [scenario] = alertScenarios;
  if (scenario === undefined) throw new Error("there is no scenario");
  const files = filesOf({ ...scenario, fires: scenario.quiet });
  expect(runPromtool(["test", "rules", "scenario.json"], { files }).code).not.toBe(0);
});

/** Tests one rule at a time: evaluating hours of all rules takes seconds. */
function filesOf(scenario: AlertScenario) {
  const [group] = rules.groups.filter((one) => one.rules.some(({ alert }) => alert === scenario.alert));
  const alone = { ...group, rules: group?.rules.filter(({ alert }) => alert === scenario.alert) };
  return { "rules.json": { groups: [alone] }, "scenario.json": unitTest(scenario) };
}

function unitTest(scenario: AlertScenario) {
  const { alert, series, fires, quiet } = scenario;
  const at = (moment: string, alerts: readonly object[]) => ({
    eval_time: moment,
    alertname: alert,
    exp_alerts: alerts,
  });
  return {
    rule_files: ["rules.json"],
    evaluation_interval: "30s",
    tests: [
      {
        interval: "1m",
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        alert_rule_test: [
          ...fires.map((moment) => at(moment, [expected(scenario)])),
          ...quiet.map((moment) => at(moment, [])),
        ],
      },
    ],
  };
}

/** Renders the texts with the scenario's labels, so that a label without a series fails the test. */
function expected({ alert, labels = {}, value = "" }: AlertScenario) {
  const rule = all.find((one) => one.alert === alert);
  if (rule === undefined) throw new Error(`there is no alert ${alert}`);
  const filled = (text: string) =>
    text
      .replaceAll("{{ $value }}", value)
      .replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, name: string) => labels[name] ?? "");
  const annotations = Object.entries(rule.annotations).map(([name, text]) => [name, filled(text)]);
  return { exp_labels: { ...rule.labels, ...labels }, exp_annotations: Object.fromEntries(annotations) };
}
