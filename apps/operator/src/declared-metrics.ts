// Declares all metrics without values, to generate the documentation.

import { metricPrefixes } from "@virt/api";
import type { Registry } from "@virt/kube";
import { policyMetric } from "./admission-policies.ts";
import { advisorMetrics } from "./advisor/metrics.ts";
import type { ControllerName } from "./flags.ts";
import { platformMetrics } from "./platform/metrics.ts";
import { readCommandLine } from "./settings.ts";
import { createTelemetry } from "./telemetry.ts";

const own: Readonly<Record<ControllerName, (registry: Registry) => unknown>> = {
  advisor: (registry) => [
    advisorMetrics(registry, { configs: () => [], pools: () => [] }),
    policyMetric(registry, metricPrefixes.advisor),
  ],
  platform: (registry) => [platformMetrics(registry), policyMetric(registry, metricPrefixes.platform)],
};

export function declaredMetrics(name: ControllerName): Registry {
  const line = readCommandLine([`--controllers=${name}`], { isTerminal: false, environment: {} });
  if (line.kind !== "run") throw new Error(`--controllers=${name} is not understood`);
  const telemetry = createTelemetry(line.settings, false);
  telemetry.controller(name);
  telemetry.events(name);
  telemetry.watch(() => []);
  own[name](telemetry.registry);
  telemetry.close();
  return telemetry.registry;
}
