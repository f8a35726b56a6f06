// Generates the dashboard of both controllers for Grafana and for the OpenShift console.

import { writeYaml } from "@virt/objects";
import { type Panel, panels } from "./dashboard-panels.ts";

const types = {
  grafana: { lines: "timeseries", number: "stat" },
  console: { lines: "graph", number: "singlestat" },
} as const;
type Viewer = keyof typeof types;

const width = { lines: 12, number: 6 } as const;
const height = { lines: 8, number: 4 } as const;
const full = 24;

export function dashboardJson(viewer: Viewer = "grafana"): string {
  const dashboard = {
    uid: "virt-operators",
    title: "Virtualization / advisor and platform operators",
    tags: ["kubevirt"],
    editable: false,
    refresh: "30s",
    schemaVersion: 39,
    time: { from: "now-6h", to: "now" },
    timezone: "browser",
    templating: { list: [{ name: "datasource", type: "datasource", query: "prometheus", label: "Data source" }] },
    panels: placed().map((one) => panelOf(one, viewer)),
  };
  return `${JSON.stringify(dashboard, undefined, 2)}\n`;
}

/** The OpenShift console lists dashboards in ConfigMaps with this label, in its documented namespace. */
export function consoleDashboard(): string {
  const map = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "virt-operators-dashboard", labels: { "console.openshift.io/dashboard": "true" } },
    data: { "virt-operators.json": dashboardJson("console") },
  };
  return [
    "# Generated from tools/generate/dashboard-panels.ts (make generate). To see it under Observe, Dashboards:",
    "# kubectl apply -n openshift-config-managed -f config/dashboards/console_dashboard.yaml",
    writeYaml(map),
  ].join("\n");
}

type Placed = Panel & { readonly id: number; readonly x: number; readonly y: number };

function placed(): readonly Placed[] {
  let [x, y, tallest] = [0, 0, 0];
  return panels.map((panel, at) => {
    if (x + width[panel.shown] > full) [x, y, tallest] = [0, y + tallest, 0];
    const here = { ...panel, id: at + 1, x, y };
    x += width[panel.shown];
    tallest = Math.max(tallest, height[panel.shown]);
    return here;
  });
}

function panelOf({ id, x, y, title, description, shown, unit, queries }: Placed, viewer: Viewer) {
  return {
    id,
    type: types[viewer][shown],
    title,
    description,
    datasource: viewer === "console" ? "$datasource" : { type: "prometheus", uid: "${datasource}" },
    gridPos: { x, y, w: width[shown], h: height[shown] },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: queries.map(({ expr, legend }, at) => ({
      refId: String.fromCodePoint(65 + at),
      expr,
      legendFormat: legend,
      ...(shown === "number" && { instant: true }),
    })),
  };
}
