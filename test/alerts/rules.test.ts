// Every alert of both controllers fires and clears, by Prometheus' own evaluation of the rules that we ship.

import { expect, test } from "vitest";
import { judge, rules } from "./promtool.ts";
import { type Story, stories } from "./stories.ts";

const patience = 600_000; // a machine that has no promtool yet gets one first
const all = rules.groups.flatMap((group) => group.rules);

test("Prometheus accepts the rules without a warning", { timeout: patience }, () => {
  const judged = judge(["check", "rules", "--lint-fatal", "rules.json"], { files: { "rules.json": rules } });
  expect(judged).toEqual({ code: 0, said: expect.stringContaining(`${all.length} rules found`) });
});

test("there is a story for every alert, and it fires and clears in it", () => {
  const told = stories.filter(({ fires, quiet }) => fires.length > 0 && quiet.length > 0).map(({ alert }) => alert);
  expect(new Set(told)).toEqual(new Set(all.map(({ alert }) => alert)));
});

test.each(stories)("$alert: $reason", { timeout: patience }, (story) => {
  expect(judge(["test", "rules", "story.json"], { files: filesOf(story) })).toMatchObject({ code: 0 });
});

test("an alert at the wrong time is seen", () => {
  const [story] = stories;
  if (story === undefined) throw new Error("there is no story");
  const files = filesOf({ ...story, fires: story.quiet });
  expect(judge(["test", "rules", "story.json"], { files }).code).not.toBe(0);
});

/** A rule alone: hours of all rules would cost seconds. */
function filesOf(story: Story) {
  const [group] = rules.groups.filter((one) => one.rules.some(({ alert }) => alert === story.alert));
  const alone = { ...group, rules: group?.rules.filter(({ alert }) => alert === story.alert) };
  return { "rules.json": { groups: [alone] }, "story.json": unitTest(story) };
}

function unitTest(story: Story) {
  const { alert, series, fires, quiet } = story;
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
          ...fires.map((moment) => at(moment, [expected(story)])),
          ...quiet.map((moment) => at(moment, [])),
        ],
      },
    ],
  };
}

/** The texts with the labels of the story in them: a label that no series has would be missed here. */
function expected({ alert, labels = {}, value = "" }: Story) {
  const rule = all.find((one) => one.alert === alert);
  if (rule === undefined) throw new Error(`there is no alert ${alert}`);
  const filled = (text: string) =>
    text
      .replaceAll("{{ $value }}", value)
      .replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, name: string) => labels[name] ?? "");
  const annotations = Object.entries(rule.annotations).map(([name, text]) => [name, filled(text)]);
  return { exp_labels: { ...rule.labels, ...labels }, exp_annotations: Object.fromEntries(annotations) };
}
