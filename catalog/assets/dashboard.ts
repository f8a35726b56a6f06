// Shared by the assets that add a dashboard to the console.

import { hco } from "@virt/cluster";
import type { AssetFacts } from "@virt/platform";
import {
  type DashboardContent,
  dashboardForms,
  persesTarget,
  renderDashboard,
  servesDashboards,
} from "../dashboards/perses.ts";

const reads = { hco: hco(), isServed: servesDashboards };

/** Returns the parts of an asset that follow from the name and the content of its dashboard. */
export function dashboardAsset(name: string, content: DashboardContent) {
  return {
    phase: 1,
    target: persesTarget(name),
    needs: [],
    dependency: "unreported",
    forms: dashboardForms(content),
    reads,
    adoption: "whole",
    impact: "none",
    render: (facts: AssetFacts<typeof reads>) => renderDashboard(name, content, facts),
  } as const;
}

/** The reasons for the values that every dashboard has. */
export const dashboardValues = {
  display: { reason: "The title in the console.", source: "operator default" },
  refreshInterval: { reason: "The scrape interval of OpenShift's own operators.", source: "OpenShift monitoring" },
  "spec.config.layouts": {
    reason: "Two graphs or four numbers in a row.",
    source: "operator default",
    shown: "one grid with all panels",
  },
} as const;
