import { asList, at } from "@virt/objects";
import { expect, test } from "vitest";
import { assetFacts, renderedAsset } from "../../testing/asset-facts.ts";
import asset from "./asset.ts";

const rulesOf = (facts = assetFacts(asset)) => {
  const [group, ...others] = asList(at(asset.render(facts), "spec", "groups"));
  expect(others).toEqual([]);
  return asList(at(group, "rules"));
};
const texts = (...path: readonly string[]) => rulesOf().map((rule) => at(rule, ...path));

test("Prometheus of OpenShift finds the rules and evaluates them every 30 seconds", () => {
  expect(renderedAsset(asset).split("    rules:\n")[0]).toBe(`apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  labels:
    prometheus: k8s
    role: alert-rules
  name: virt-platform-operator-alerts
  namespace: virt-platform-operator-system
spec:
  groups:
  - interval: 30s
    name: virt-platform-operator
`);
});

test("each alert has its expression, delay and severity", () => {
  const rendered = rulesOf().map((rule) => [
    at(rule, "alert"),
    at(rule, "expr"),
    at(rule, "for"),
    at(rule, "labels", "severity"),
    at(rule, "labels", "operator_health_impact"),
  ]);
  const last = (metric: string, more = "") =>
    `last_over_time(kubevirt_platform_${metric}{job="virt-platform-operator-metrics"${more}}[5m])`;
  expect(rendered).toEqual([
    ["VirtPlatformSyncFailed", `${last("compliance_status")} == 0`, "15m", "warning", "critical"],
    [
      "VirtPlatformThrashingDetected",
      `${last("paused_resources", ',reason!="manual"')} > 0`,
      "1m",
      "warning",
      "warning",
    ],
    ["VirtPlatformDependencyMissing", `${last("missing_dependency")} == 1`, "5m", "warning", "warning"],
    ["VirtPlatformInvalidOverride", `${last("invalid_override")} == 1`, "10m", "warning", "none"],
    ["VirtPlatformTombstoneStuck", `${last("tombstone_status")} < 0`, "30m", "warning", "none"],
    ["VirtPlatformContested", `${last("contested_fields")} > 0`, "1h", "info", "none"],
    ["VirtPlatformDown", `max(${last("leader")}) < 1 or absent(${last("leader")})`, "10m", "warning", "critical"],
  ]);
});

test("each alert has labels, a summary and a description", () => {
  expect(new Set(texts("labels", "operator"))).toEqual(new Set(["virt-platform-operator"]));
  expect(new Set(texts("labels", "kubernetes_operator_part_of"))).toEqual(new Set(["kubevirt"]));
  expect(new Set(texts("labels", "kubernetes_operator_component"))).toEqual(new Set(["virt-platform-operator"]));
  for (const part of ["summary", "description"]) {
    expect(new Set(texts("annotations", part).map((text) => typeof text))).toEqual(new Set(["string"]));
    expect(new Set(texts("annotations", part)).size).toBe(7);
  }
});

test("runbook links point to our repository or follow the template", () => {
  const urls = (rules: ReturnType<typeof rulesOf>) => rules.map((rule) => at(rule, "annotations", "runbook_url"));
  expect(urls(rulesOf())[0]).toMatch(/\/blob\/main\/docs\/runbooks\/VirtPlatformSyncFailed\.md$/);
  const moved = rulesOf(assetFacts(asset, { runbookUrlTemplate: "https://books/%s.html" }));
  expect(urls(moved)[5]).toBe("https://books/VirtPlatformContested.html");
});
