import { readFileSync } from "node:fs";
import { inRepository } from "@virt/testkit";
import { load } from "js-yaml";
import { expect, test } from "vitest";
import { metricNames } from "../../tools/generate/metrics-page.ts";
import { runPromtool } from "./promtool.ts";

type Dashboard = {
  readonly panels: readonly {
    readonly title: string;
    readonly type: string;
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
    readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
};

const read = (file: string) => readFileSync(inRepository("config", "dashboards", file), "utf8");
const grafana = JSON.parse(read("virt-operators.json")) as Dashboard;
const map = load(read("console_dashboard.yaml")) as { readonly data: Readonly<Record<string, string>> };
const targets = grafana.panels.flatMap((panel) => panel.targets);
const known = new Set([...metricNames("advisor"), ...metricNames("platform")]);

test("every query uses only existing metrics", () => {
  const asked = targets.flatMap(({ expr }) => expr.match(/\b(?:kubevirt|workqueue|process|nodejs)_\w+/g) ?? []);
  expect(asked.length).toBeGreaterThanOrEqual(targets.length);
  expect(asked.map((name) => name.replace(/_bucket$/, "")).filter((name) => !known.has(name))).toEqual([]);
});

test("Prometheus accepts every query", { timeout: 600_000, tags: ["thorough"] }, () => {
  const rules = targets.map(({ expr }, at) => ({ record: `panel:query_${at}`, expr }));
  const files = { "rules.json": { groups: [{ name: "dashboard", rules }] } };
  expect(runPromtool(["check", "rules", "rules.json"], { files })).toMatchObject({ code: 0 });
});

test("every query keeps the labels of its legend", () => {
  const lost = targets.flatMap(({ expr, legendFormat }) => {
    const labels = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label);
    const kept = /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(/, */) ?? ["pod"];
    return labels.filter((label) => !kept.includes(label)).map((label) => `${label} in ${expr}`);
  });
  expect(lost).toEqual([]);
});

test("panels do not overlap", () => {
  const cells = grafana.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, at) => `${x + (at % w)}/${y + Math.floor(at / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(Math.max(...grafana.panels.map(({ gridPos: { x, w } }) => x + w))).toBeLessThanOrEqual(24);
});

test("the console dashboard has the same panels, in types that it supports", () => {
  const shown = JSON.parse(map.data["virt-operators.json"] ?? "") as Dashboard;
  const content = ({ panels }: Dashboard) => panels.map(({ title, targets: queries }) => ({ title, queries }));
  expect(content(shown)).toEqual(content(grafana));
  expect(new Set(shown.panels.map(({ type }) => type))).toEqual(new Set(["graph", "singlestat"]));
});
