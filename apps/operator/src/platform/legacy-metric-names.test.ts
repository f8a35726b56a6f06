import { Counter, Gauge, Histogram, Registry } from "@virt/kube";
import { expect, test } from "vitest";
import { declaredMetrics } from "../declared-metrics.ts";
import { addLegacyNames } from "./legacy-metric-names.ts";

const legacyLines = (text: string) => text.split("\n").filter((line) => line.includes("kubevirt_autopilot_"));

test("a metric has the same values under its old and its new name", async () => {
  const registry = new Registry();
  const metric = { help: "h", labelNames: ["name"], registers: [registry] };
  const name = 'kubevirt_platform_leader "\n';
  new Gauge({ ...metric, name: "kubevirt_platform_compliance_status" }).set({ name }, 1);
  new Counter({ ...metric, name: "kubevirt_platform_requests_total" }).inc({ name: "a" }, 3);
  const durations = { ...metric, name: "kubevirt_platform_reconcile_duration_seconds", buckets: [1] };
  new Histogram(durations).observe({ name: "a" }, 0.5);
  const text = await addLegacyNames(registry).metrics();
  expect(legacyLines(text)).toEqual([
    "# HELP kubevirt_autopilot_compliance_status h",
    "# TYPE kubevirt_autopilot_compliance_status gauge",
    String.raw`kubevirt_autopilot_compliance_status{name="kubevirt_platform_leader \"\n"} 1`,
    "# HELP kubevirt_autopilot_requests_total h",
    "# TYPE kubevirt_autopilot_requests_total counter",
    'kubevirt_autopilot_requests_total{name="a"} 3',
    "# HELP kubevirt_autopilot_reconcile_duration_seconds h",
    "# TYPE kubevirt_autopilot_reconcile_duration_seconds histogram",
    'kubevirt_autopilot_reconcile_duration_seconds_bucket{le="1",name="a"} 1',
    'kubevirt_autopilot_reconcile_duration_seconds_bucket{le="+Inf",name="a"} 1',
    'kubevirt_autopilot_reconcile_duration_seconds_sum{name="a"} 0.5',
    'kubevirt_autopilot_reconcile_duration_seconds_count{name="a"} 1',
  ]);
  expect(text.startsWith(await registry.metrics())).toBe(true);
});

test("each old name belongs to a metric of the platform process", async () => {
  const text = await addLegacyNames(declaredMetrics("platform")).metrics();
  const typed = [...text.matchAll(/^# TYPE kubevirt_(platform|autopilot)_(\w+)/gm)];
  const named = (product: string) => typed.flatMap(([, of, suffix]) => (of === product ? [suffix] : []));
  expect(named("autopilot")).toHaveLength(23);
  expect(named("platform")).toEqual(expect.arrayContaining(named("autopilot")));
});

test("metrics of the advisor and of the process have no old name", async () => {
  expect(legacyLines(await addLegacyNames(declaredMetrics("advisor")).metrics())).toEqual([]);
});
