// A real Prometheus monitors both operators with the shipped ServiceMonitors, roles, rules and dashboards. Each alert
// has a scenario.
// @module-tag thorough

import { readFileSync } from "node:fs";
import type { KubeObject } from "@virt/api";
import { at } from "@virt/objects";
import { inRepository } from "@virt/testkit";
import { load } from "js-yaml";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type MonitoredOperators, startMonitoredOperators } from "../alerts/monitored-operators.ts";
import { rules } from "../alerts/promtool.ts";
import { openRunbookShell, type RunbookShell } from "../alerts/scraped-operator.ts";
import { applyManifests } from "../support/account.ts";
import { denyPlatformUpdates } from "../support/deny-platform-updates.ts";
import { mockCrd, startTestCluster, type TestCluster } from "../support/test-cluster.ts";

/** A test waits for Prometheus several times, up to 90 s each. */
vi.setConfig({ testTimeout: 600_000 });

/** Rates that stay at 0 in this test, with the reason. */
const quiet: Readonly<Record<string, string>> = {
  "{{name}} retries per second": "no reconcile fails: a write that a policy denies has its own retry times",
};

/** Alerts that no scenario can cause here, with the reason. */
const unprovokable: Readonly<Record<string, string>> = {
  VirtPlatformTombstoneStuck: "this release has no tombstones",
};

const mocks = [
  "nodehealthchecks",
  "selfnoderemediationtemplates",
  "selfnoderemediations",
  "servicemonitors",
  "prometheusrules",
];
const name = "load-aware-rebalancing";
const object = { kind: "NodeHealthCheck", name: "virt-node-health-check" };
const checks = "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks";
const check = `${checks}/${object.name}`;
const descheduler =
  "/apis/operator.openshift.io/v1/namespaces/openshift-kube-descheduler-operator/kubedeschedulers/cluster";
const hco = "/apis/hco.kubevirt.io/v1beta1/namespaces/openshift-cnv/hyperconvergeds/kubevirt-hyperconverged";
const node = "/api/v1/nodes/worker-0";
const pool = "/apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker";
const annotation = (key: string) => `platform.kubevirt.io/${key}`;
const firedAlerts = new Set<string>();
let testCluster: TestCluster;
let monitored: MonitoredOperators;
let runbooks: RunbookShell;

beforeAll(async () => {
  const crds = Object.fromEntries(mocks.map((one) => [one, one]));
  testCluster = await startTestCluster({ crds: { ...crds, kubedeschedulers: null } });
  await testCluster.simulate("three-workers");
  const spec = { minHealthy: "40%", stormCooldownDuration: "5m" };
  const body = {
    apiVersion: "remediation.medik8s.io/v1alpha1",
    kind: object.kind,
    metadata: { name: object.name },
    spec,
  };
  await ok({ method: "POST", path: `${checks}?fieldManager=installer`, body });
  monitored = await startMonitoredOperators(testCluster);
  runbooks = openRunbookShell(testCluster);
});
afterAll(async () => {
  await monitored?.prometheus.stop();
  await testCluster[Symbol.asyncDispose]();
});

async function ok(request: Parameters<TestCluster["server"]["request"]>[0]): Promise<KubeObject> {
  const { status, body } = await testCluster.server.request(request);
  if (status >= 300) throw new Error(JSON.stringify(body));
  return body as KubeObject;
}
const edit = (path: string, body: object, by = "kubectl-edit") =>
  ok({ method: "PATCH", path: `${path}?fieldManager=${by}`, body });
const checkSpec = async (field: string) => at(await ok({ path: check }), "spec", field);
const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 90_000, interval: 40 });

type Fix = () => Promise<unknown>;

/** Expects the alerts with these labels, and resolves them with `fix`. */
async function expectAlerts(
  alerts: Readonly<Record<string, Readonly<Record<string, string>>>>,
  fix: Fix,
): Promise<void> {
  for (const [alert, labels] of Object.entries(alerts)) await monitored.prometheus.expectFiring(alert, labels);
  await fix();
  for (const alert of Object.keys(alerts)) {
    await monitored.prometheus.expectResolved(alert);
    firedAlerts.add(alert);
  }
}
/** The default fix is the runbook of the alert. */
const expectAlert = (
  alert: string,
  labels: Readonly<Record<string, string>>,
  fix: Fix = () => runbooks.mitigate(alert),
) => expectAlerts({ [alert]: labels }, fix);

test.each(["advisor", "platform"])("scrapes the %s through its ServiceMonitor", async (controller) => {
  const namespace = `virt-${controller}-operator-system`;
  const service = `virt-${controller}-operator-metrics`;
  const labels = { namespace, service, job: service, pod: `${controller}-0`, endpoint: "metrics" };
  const job = `${namespace}/${service}/0`;
  await monitored.prometheus.expectTarget(`serviceMonitor/${job}`, {
    health: "up",
    lastError: "",
    labels: expect.objectContaining(labels),
  });
  await monitored.prometheus.expectTarget(`stranger/${job}`, {
    health: "down",
    lastError: "server returned HTTP status 403 Forbidden",
  });
});

test("VirtPlatformContested fires, and its runbook resolves it", () => {
  return expectAlert("VirtPlatformContested", object);
});

test("VirtPlatformInvalidOverride fires, and its runbook resolves it", async () => {
  await edit(check, { metadata: { annotations: { [annotation("patch")]: "[{" } } });
  await expectAlert("VirtPlatformInvalidOverride", { ...object, type: "patch" });
});

test("VirtPlatformThrashingDetected fires, and its runbook resolves it", async () => {
  const alert = "VirtPlatformThrashingDetected";
  let isFighting = true;
  const fightOn = async () => {
    const isCorrected = (await checkSpec("stormCooldownDuration")) !== "9m";
    if (isFighting && isCorrected) await edit(check, { spec: { stormCooldownDuration: "9m" } }, "stubborn");
    expect(isFighting).toBe(false);
  };
  const fight = vi.waitFor(fightOn, { timeout: 180_000, interval: 40 }); // longer than the wait for an alert
  await expectAlert(alert, { ...object, reason: "edit-war" }, async () => {
    isFighting = false;
    await fight;
    await runbooks.mitigate(alert);
  });
});

test("VirtPlatformSyncFailed fires, and its runbook resolves it", async () => {
  const alert = "VirtPlatformSyncFailed";
  const policy = { group: "remediation.medik8s.io", resource: "nodehealthchecks" };
  await applyManifests(testCluster.server, denyPlatformUpdates(policy));
  // A new policy takes effect after a delay. Until then the operator corrects the edit.
  await until(async () => {
    if ((await checkSpec("minHealthy")) === "51%") await edit(check, { spec: { minHealthy: "40%" } }, "somebody");
    expect(await monitored.prometheus.isFiring(alert)).toBe(true);
  });
  await expectAlert(alert, object);
});

test("VirtPlatformDependencyMissing fires, and its runbook resolves it", async () => {
  await edit(hco, { metadata: { annotations: { [annotation("enable-loadaware")]: "true" } } });
  await expectAlert("VirtPlatformDependencyMissing", { kind: "KubeDescheduler" });
});

test("VirtAdvisorPrerequisiteMissing fires, and its runbook resolves it", async () => {
  await testCluster.configs.until(name, "Ignored");
  await testCluster.configs.edit(name, { action: "DryRun" });
  await expectAlert("VirtAdvisorPrerequisiteMissing", { name, phase: "PrerequisiteFailed" });
});

test.each(["vms", "duration_seconds"])("scrapes impact_%s of a pending plan", async (gauge) => {
  await testCluster.server.installCrds([mockCrd("kubedeschedulers-v532")]);
  await testCluster.configs.edit(name, { action: "DryRun" });
  await testCluster.configs.until(name, "ReviewRequired");
  const history = () => monitored.prometheus.queryHistory(`kubevirt_advisor_impact_${gauge}{name="${name}"}`);
  await until(async () => expect(await history()).not.toEqual([]));
});

test("VirtAdvisorRolloutStuck fires, and its runbook resolves it", async () => {
  const alert = "VirtAdvisorRolloutStuck";
  await edit(pool, { spec: { paused: true } });
  await edit(node, { metadata: { annotations: { "simulator.kubevirt.io/degrade": "disk is full" } } });
  await testCluster.configs.edit(name, { action: "Apply" });
  await expectAlert(alert, { name }, async () => {
    await edit(node, { metadata: { annotations: { "simulator.kubevirt.io/degrade": null } } });
    await runbooks.mitigate(alert);
  });
  await testCluster.configs.until(name, "Completed");
});

test("VirtAdvisorReviewWaiting fires, and its runbook resolves it", async () => {
  await edit(hco, {
    metadata: { annotations: { [annotation("ignore-fields")]: "/spec/liveMigrationConfig" } },
    spec: { liveMigrationConfig: { parallelMigrationsPerCluster: 17 } },
  });
  await expectAlert("VirtAdvisorReviewWaiting", { name });
  await testCluster.configs.until(name, "Completed");
});

test("VirtAdvisorDrifted fires, and its runbook resolves it", async () => {
  await edit(descheduler, { spec: { mode: "Predictive" } });
  await expectAlert("VirtAdvisorDrifted", { name });
  await testCluster.configs.until(name, "Completed");
});

test("VirtAdvisorPlanFailed fires, and its runbook resolves it", async () => {
  await edit(pool, { spec: { paused: true } });
  await testCluster.configs.edit(name, { waitTimeout: "1s", options: { loadAware: { enablePSIMetrics: false } } });
  await expectAlert("VirtAdvisorPlanFailed", { name, phase: "Failed" });
});

test("VirtAdvisorDown and VirtPlatformDown fire while the operators are down", async () => {
  const controllers = ["advisor", "platform"] as const;
  for (const controller of controllers) {
    monitored.operators[controller].child.kill("SIGTERM"); // releases the lease for the restart
    await monitored.operators[controller].exited;
  }
  await expectAlerts({ VirtAdvisorDown: {}, VirtPlatformDown: {} }, async () => {
    for (const controller of controllers) await monitored.restart(controller);
  });
});

test("every shipped alert fires in a scenario, or has a reason", () => {
  const shipped = rules.groups.flatMap((group) => group.rules.map(({ alert }) => alert));
  expect([...firedAlerts, ...Object.keys(unprovokable)].toSorted()).toEqual(shipped.toSorted());
});

type Dashboard = {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string; readonly legendFormat: string; readonly instant?: boolean }[];
  }[];
};
const readDashboard = (file: string) => readFileSync(inRepository("config", "dashboards", file), "utf8");

test.each([
  { form: "Grafana's", read: () => readDashboard("virt-operators.json") },
  {
    form: "the console's",
    read: () => {
      const map = load(readDashboard("console_dashboard.yaml")) as { readonly data: Readonly<Record<string, string>> };
      return map.data["virt-operators.json"] ?? "";
    },
  },
])("every panel of $form dashboard shows data", async ({ read }) => {
  const { panels } = JSON.parse(read()) as Dashboard;
  const empty = await Promise.all(
    panels.flatMap(({ title, targets }) =>
      targets.map(async ({ expr, legendFormat, instant = false }) => {
        const values = await monitored.prometheus.queryHistory(expr);
        // A value of 0 proves nothing: a gauge without objects and a rate without activity are both 0.
        const mustMove = instant || (expr.includes("rate(") && !Object.hasOwn(quiet, legendFormat));
        const isShown = values.some((value) => Number.isFinite(value) && (!mustMove || value > 0));
        return isShown ? [] : [`${title}: ${legendFormat}`];
      }),
    ),
  );
  expect(empty.flat()).toEqual([]);
});
