// Generates the manifest of the advisor's alerts. The platform controller applies its own alerts as an asset.

import { fieldManagers } from "@virt/api";
import { advisorAlerts, rulesFor } from "@virt/catalog";
import { writeYaml } from "@virt/objects";
import { advisor } from "./operators.ts";

export function advisorRule(): string {
  const rule = {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "PrometheusRule",
    metadata: {
      name: `${advisor.name}-alerts`,
      namespace: advisor.namespace,
      labels: { prometheus: "k8s", role: "alert-rules" },
    },
    spec: rulesFor(fieldManagers.advisor, advisorAlerts),
  };
  return `# Generated from catalog/alerts/advisor.ts (make generate). Change that file instead.\n${writeYaml(rule)}`;
}
