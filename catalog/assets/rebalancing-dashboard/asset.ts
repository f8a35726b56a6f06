// Adds a dashboard to the console that shows the load of nodes and the evictions of the descheduler.

import { defineAsset } from "@virt/platform";
import { lines, type Panel } from "../../dashboards/panel.ts";
import { dashboardAsset, dashboardValues } from "../dashboard.ts";
import { deschedulerTarget, loadAwareRebalancing } from "../load-aware-rebalancing.ts";

const resources = { cpu: "CPU", memory: "Memory" } as const;

/** The recording rules of the descheduler operator: per node, and the average of the workers. */
const measures = [
  {
    measure: "utilization",
    description:
      "Share in use on each node, and on all workers on average. VMs move away from nodes far above the average.",
  },
  {
    measure: "pressure",
    description:
      "Share of time in which tasks on a node waited for the resource (PSI). Close to 0 if the node is not overloaded.",
  },
] as const;

const perNode: readonly Panel[] = measures.flatMap(({ measure, description }) =>
  Object.entries(resources).map(([resource, title]) =>
    lines(`${title} ${measure}`, "percentunit", description, {
      "{{instance}}": `max by (instance) (descheduler:node${measure}:${resource}:avg1m)`,
      "average of workers": `max(descheduler:averageworkers${measure}:${resource}:avg1m)`,
    }),
  ),
);

const evictions: readonly Panel[] = [
  lines("Evictions by node", "short", "Pods that the descheduler evicted from each node in 5 minutes, by result.", {
    "{{node}}: {{result}}": "sum by (node, result) (increase(descheduler_pods_evicted_total[5m]))",
  }),
  lines("Evictions by namespace", "short", "Pods that the descheduler evicted from each namespace in 5 minutes.", {
    "{{exported_namespace}}": "sum by (exported_namespace) (increase(descheduler_pods_evicted_total[5m]))",
  }),
];

const dashboard = dashboardAsset("virt-rebalancing", {
  title: "Virtualization / rebalancing",
  duration: "1h",
  panels: [...perNode, ...evictions],
});

export default defineAsset({
  ...dashboard,
  name: "rebalancing-dashboard",
  group: "descheduler-loadaware",
  feature: loadAwareRebalancing,
  tier: "context-aware",
  order: 31,
  gates: [deschedulerTarget],
  switch: { annotation: "enable-loadaware", default: "off" },
  values: {
    ...dashboardValues,
    duration: { reason: "The descheduler acts every minute.", source: "asset descheduler-loadaware" },
    "spec.config.panels": {
      reason: "Utilization and pressure of nodes, which the descheduler balances, and its evictions.",
      source: "recording rules and metrics of the Kube Descheduler Operator",
      shown: "panels about utilization, pressure and evictions",
    },
  },
});
