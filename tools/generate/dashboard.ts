// Generates the dashboard of both controllers for Grafana and for the OpenShift console.

import { operatorPanels, type PlacedPanel, placePanels } from "@virt/catalog";
import { writeYaml } from "@virt/objects";

const types = {
  grafana: { lines: "timeseries", number: "stat" },
  console: { lines: "graph", number: "singlestat" },
} as const;
type Viewer = keyof typeof types;

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
    panels: placePanels(operatorPanels).map((one, at) => panelOf(one, { id: at + 1, viewer })),
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
    "# Generated from catalog/dashboards/operator-panels.ts (make generate). To see it under Observe, Dashboards:",
    "# kubectl apply -n openshift-config-managed -f config/dashboards/console_dashboard.yaml",
    writeYaml(map),
  ].join("\n");
}

type PanelView = { readonly id: number; readonly viewer: Viewer };

function panelOf({ panel, x, y, width, height }: PlacedPanel, { id, viewer }: PanelView) {
  const { title, description, shown, unit, queries } = panel;
  return {
    id,
    type: types[viewer][shown],
    title,
    description,
    datasource: viewer === "console" ? "$datasource" : { type: "prometheus", uid: "${datasource}" },
    gridPos: { x, y, w: width, h: height },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: queries.map(({ expr, legend }, at) => ({
      refId: String.fromCodePoint(65 + at),
      expr,
      legendFormat: legend,
      ...(shown === "number" && { instant: true }),
    })),
  };
}
