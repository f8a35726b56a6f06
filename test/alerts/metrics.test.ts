import { spawnSync } from "node:child_process";
import { advisorAlerts, platformAlerts } from "@virt/catalog";
import { inRepository } from "@virt/testkit";
import { expect, test } from "vitest";
import { declaredText, metricNames } from "../../tools/generate/metrics-page.ts";
import { runPromtool } from "./promtool.ts";

test.each(["advisor", "platform"] as const)(
  "Prometheus accepts every metric of the %s process",
  {
    timeout: 600_000,
    tags: ["thorough"],
  },
  async (controller) => {
    expect(runPromtool(["check", "metrics"], { input: await declaredText(controller) })).toEqual({
      code: 0,
      output: "",
    });
  },
);

test.each([
  { controller: "advisor", alerts: advisorAlerts },
  { controller: "platform", alerts: platformAlerts },
] as const)("alerts of the $controller use only metrics of its own process", ({ controller, alerts }) => {
  const known = new Set(metricNames(controller));
  const asked = alerts.flatMap(({ expr }) => expr.match(/\bkubevirt_\w+/g) ?? []);
  expect(asked.length).toBeGreaterThanOrEqual(alerts.length);
  expect(asked.filter((name) => !known.has(name))).toEqual([]);
});

test("RUNBOOK_URL_TEMPLATE sets the runbook URLs of the platform alerts", () => {
  const hco = {
    apiVersion: "hco.kubevirt.io/v1beta1",
    kind: "HyperConverged",
    metadata: { name: "kubevirt-hyperconverged", namespace: "openshift-cnv" },
    spec: {},
  };
  const args = [inRepository("dist", "virt-operator.mjs"), "render", "--hco-file=-", "--asset=prometheus-alerts"];
  const env = { RUNBOOK_URL_TEMPLATE: "https://books.example/%s" };
  const { stdout } = spawnSync(process.execPath, args, { env, input: JSON.stringify(hco), encoding: "utf8" });
  expect(stdout).toContain("runbook_url: https://books.example/VirtPlatformSyncFailed\n");
  expect(stdout).not.toContain("/blob/main/docs/runbooks/");
});
