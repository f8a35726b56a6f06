// Shared by the assets for the operator's own metrics and alerts.

import { metricsServices } from "@virt/api";

export const metricsName = metricsServices.platform;

export const metricsLabels = {
  "app.kubernetes.io/name": "virt-platform-operator",
  "app.kubernetes.io/component": "metrics",
};

export const ownMonitoring = {
  group: "monitoring",
  feature: { name: "monitoring", description: "The operator's own metrics and alerts", maturity: "GA" },
  tier: "always-on",
  phase: 1,
  order: 1,
  needs: [],
  dependency: "optional",
  reads: {},
  adoption: "whole",
  impact: "none",
} as const;
