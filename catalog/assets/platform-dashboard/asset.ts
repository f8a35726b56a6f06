// Adds a dashboard about the platform controller to the console.

import { defineAsset } from "@virt/platform";
import { operatorPanels } from "../../dashboards/operator-panels.ts";
import type { Panel } from "../../dashboards/panel.ts";
import { dashboardAsset, dashboardValues } from "../dashboard.ts";
import { observability } from "../observability.ts";

const advisorMetrics = "kubevirt_advisor_";

/** Omits queries about the advisor, whose panels are in the dashboard about both controllers. */
const panels: readonly Panel[] = operatorPanels
  .map((panel) => ({ ...panel, queries: panel.queries.filter(({ expr }) => !expr.includes(advisorMetrics)) }))
  .filter(({ queries }) => queries.length > 0);

const dashboard = dashboardAsset("virt-platform-health", {
  title: "Virtualization / platform operator",
  duration: "6h",
  panels,
});

export default defineAsset({
  ...dashboard,
  name: "platform-dashboard",
  group: "observability-operator",
  feature: observability,
  tier: "always-on",
  order: 25,
  switch: { annotation: "enable-observability", default: "on" },
  values: {
    ...dashboardValues,
    duration: { reason: "Shows an upgrade from its start to its end.", source: "operator default" },
    "spec.config.panels": {
      reason: "The state of the objects that the controller manages, and the work of the controller.",
      source: "data source perses-thanos-datasource, which the HyperConverged operator creates",
      shown: "panels about the metrics of the platform controller; the metrics page lists them",
    },
  },
});
