// Every metric of a process that runs one controller, declared and still empty: for the page about them.

import type { Registry } from "@virt/kube";
import { advisorMetrics } from "./advisor/metrics.ts";
import type { ControllerName } from "./flags.ts";
import { platformMetrics } from "./platform/metrics.ts";
import { readCommandLine } from "./settings.ts";
import { createTelemetry } from "./telemetry.ts";

const own: Readonly<Record<ControllerName, (registry: Registry) => unknown>> = {
  advisor: (registry) => advisorMetrics(registry, { configs: () => [], pools: () => [] }),
  platform: platformMetrics,
};

export function declaredMetrics(name: ControllerName): Registry {
  const line = readCommandLine([`--controllers=${name}`], false);
  if (line.kind !== "run") throw new Error(`--controllers=${name} is not understood`);
  const telemetry = createTelemetry(line.settings, false);
  telemetry.tenant(name);
  telemetry.events(name);
  telemetry.watch(() => []);
  own[name](telemetry.registry);
  telemetry.close();
  return telemetry.registry;
}
