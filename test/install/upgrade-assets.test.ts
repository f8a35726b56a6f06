// The next and the previous release take over the platform controller's objects in every state: no customization is
// lost, and no unrequested write occurs.
// @module-tag thorough

import type { KubeObject } from "@virt/api";
import { at } from "@virt/objects";
import { objectAnnotations } from "@virt/platform";
import { freePorts } from "@virt/testkit";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { accountName, operatorAccount } from "../support/account.ts";
import { loadAware, removeAt } from "../support/advisor.ts";
import { type FullCluster, startFullCluster, untilConverged } from "../support/full-cluster.ts";
import { present, previous, type Release } from "../support/install/releases.ts";
import { hcoPath } from "../support/platform-cluster.ts";
import { type RunningProgram, startProgram } from "../support/program.ts";

const machineConfiguration = "/apis/machineconfiguration.openshift.io/v1";
const ownNamespace = "/api/v1/namespaces/virt-platform-operator-system";
const paths = {
  kubelet: `${machineConfiguration}/kubeletconfigs/virt-perf-settings`,
  swap: `${machineConfiguration}/machineconfigs/50-virt-swap-enable`,
  pci: `${machineConfiguration}/machineconfigs/50-virt-pci-passthrough`,
  vfio: `${machineConfiguration}/machineconfigs/50-virt-vfio-assign`,
  psi: `${machineConfiguration}/machineconfigs/99-openshift-machineconfig-worker-psi-karg`,
  forklift: "/apis/forklift.konveyor.io/v1beta1/namespaces/openshift-mtv/forkliftcontrollers/forklift-controller",
  check: "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks/virt-node-health-check",
  service: `${ownNamespace}/services/virt-platform-operator-metrics`,
  alerts:
    "/apis/monitoring.coreos.com/v1/namespaces/virt-platform-operator-system/prometheusrules/virt-platform-operator-alerts",
  governance: `${ownNamespace}/configmaps/virt-platform-operator-governance`,
} as const;
const person = "person";
let fullCluster: FullCluster;
let advisor: { readonly kubeconfig: string };
let running: readonly RunningProgram[] = [];
let metricsPort = 0;

beforeAll(async () => {
  fullCluster = await startFullCluster({ release: previous.folder });
  advisor = await operatorAccount(fullCluster.testCluster.server, "advisor", previous.folder);
});
afterEach(async () => {
  const { testCluster, targets } = fullCluster;
  await stop();
  await removeAt(testCluster.server, "/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs");
  const made = targets.map(({ path }) => path).filter((path) => path !== hcoPath);
  for (const path of [...made, paths.governance]) await removeAt(testCluster.server, path);
  await annotate(hcoPath, { "enable-swap": null, prune: null, "disabled-resources": null });
});
afterAll(() => fullCluster[Symbol.asyncDispose]());

async function start({ folder: release }: Release): Promise<void> {
  const [port = 0] = await freePorts(1);
  metricsPort = port;
  const metrics = ["--metrics-secure=false", `--metrics-bind-address=127.0.0.1:${port}`];
  const flags = ["--leader-elect", "--health-probe-bind-address=0", `--kubeconfig=${advisor.kubeconfig}`];
  running = [
    await fullCluster.testCluster.startOperator({
      release,
      flags: ["--leader-elect", "--activation=always", ...metrics],
    }),
    startProgram("virt-operator", ["--controllers=advisor", "--advertise-profiles=false", ...flags], [], release),
  ];
}

async function stop(): Promise<void> {
  for (const { child } of running) child.kill("SIGTERM");
  await Promise.all(running.map(({ exited }) => exited));
  running = [];
}

async function install({ folder }: Release): Promise<void> {
  await operatorAccount(fullCluster.testCluster.server, "advisor", folder);
  await fullCluster.testCluster.install(folder);
}

function annotate(path: string, said: Readonly<Record<string, string | null>>): Promise<void> {
  const annotations = Object.entries(said).map(([key, value]) => [`platform.kubevirt.io/${key}`, value]);
  return fullCluster.edit(path, { metadata: { annotations: Object.fromEntries(annotations) } }, person);
}

async function customize(): Promise<void> {
  const { edit, read, until, testCluster } = fullCluster;
  await annotate(paths.kubelet, { patch: '[{"op":"replace","path":"/spec/kubeletConfig/maxPods","value":400}]' });
  await until(async () => expect(at(await read(paths.kubelet), "spec", "kubeletConfig", "maxPods")).toBe(400));
  await annotate(paths.forklift, { "ignore-fields": "/spec/feature_validation" });
  await until(async () =>
    expect(JSON.stringify(await read(paths.forklift))).toContain("virt-platform-operator-released"),
  );
  await edit(paths.forklift, { spec: { feature_validation: "false" } }, person);
  await annotate(paths.pci, { mode: "unmanaged" });
  await edit(paths.pci, { spec: { kernelArguments: ["intel_iommu=on"] } }, person);
  await annotate(hcoPath, { "disabled-resources": "[{kind: MachineConfig, name: 50-virt-vfio-assign}]" });
  await annotate(hcoPath, { "enable-swap": "false", prune: "true" });
  await until(async () => expect((await testCluster.server.request({ path: paths.swap })).status).toBe(404));
  await edit(paths.vfio, { spec: { kernelArguments: ["quiet"] } }, person);
  await testCluster.configs.create(loadAware, { action: "Apply", options: { loadAware: { enablePSIMetrics: false } } });
  await testCluster.configs.until(loadAware, "Completed");
}

async function pauseByEditWar(): Promise<void> {
  const { edit, read, untilLong } = fullCluster;
  await untilLong(async () => {
    const object = await read(paths.check);
    if (at(object, "spec", "stormCooldownDuration") !== "9m")
      await edit(paths.check, { spec: { stormCooldownDuration: "9m" } }, "stubborn");
    expect(object.metadata.annotations?.[objectAnnotations.paused]).toBe("true");
  });
}

const readAll = () =>
  Promise.all(fullCluster.targets.map(async ({ path }) => [path, await fullCluster.read(path)] as const));

/** Assets of every impact that the controller manages without customization. */
const inSync = ["virt-perf-settings", "forklift-controller", "metallb", "kubevirt-hyperconverged", "monitoring"];

/** Waits until these assets are in sync and the controller corrects drift. */
async function untilAtWork(): Promise<void> {
  const { edit, read, until } = fullCluster;
  await until(async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    const compliant = metrics.split("\n").filter((line) => /^kubevirt_platform_compliance_status\{.* 1$/.test(line));
    expect(inSync.filter((name) => !compliant.some((line) => line.includes(`name="${name}"`)))).toEqual([]);
  });
  await edit(paths.service, { spec: { selector: { "control-plane": "changed" } } }, "somebody");
  await until(async () =>
    expect(at(await read(paths.service), "spec", "selector", "control-plane")).toBe("controller-manager"),
  );
}

function writesSince(since: string): readonly string[] {
  const accounts = [accountName("platform"), accountName("advisor")];
  const own = /\/(events|leases|virtplatformconfigs|configmaps\/virt-platform-operator-(report|governance))\b/;
  const written = fullCluster.testCluster.server
    .audit()
    .filter(
      ({ user, requestReceivedTimestamp }) => accounts.includes(user.username) && requestReceivedTimestamp > since,
    )
    .filter(({ verb, requestURI }) => isWrite(verb) && !requestURI.includes("dryRun=All") && !own.test(requestURI))
    .map(({ verb, requestURI }) => `${verb} ${requestURI.split("?")[0]}`);
  return [...new Set(written)].toSorted();
}

const isWrite = (verb: string) => !["get", "list", "watch"].includes(verb);

const directions = [
  { direction: "upgrade", from: previous, to: present },
  { direction: "downgrade", from: present, to: previous },
] as const;

/** The only objects that differ between the releases. */
const changedByRelease: readonly string[] = [paths.service, paths.alerts];

test.each(directions)(
  "$direction keeps objects in every management state unchanged",
  async ({ from, to }) => {
    await start(from);
    await untilConverged(fullCluster);
    await Promise.all([customize(), pauseByEditWar()]);
    await stop();
    const before = new Map(await readAll());
    await install(to);
    const since = new Date().toISOString();
    await start(to);
    await untilAtWork();
    // Objects are reconciled in parallel, so that the release's alerts can be last.
    await expect.poll(() => writesSince(since)).toEqual([`patch ${paths.service}`, `patch ${paths.alerts}`].toSorted());
    const isKept = ([path]: readonly [string, KubeObject]) => !changedByRelease.includes(path);
    const kept = (await readAll()).filter(isKept);
    expect(Object.fromEntries(kept)).toEqual(Object.fromEntries([...before].filter(isKept)));
  },
  600_000,
);

test("downgrade leaves a released asset alone if its feature is disabled first", async () => {
  const { testCluster, until } = fullCluster;
  const { server, configs } = testCluster;
  const statusOf = async (path: string) => (await server.request({ path })).status;
  await install(present);
  await annotate(hcoPath, { "enable-loadaware": "false" });
  await start(present);
  await until(async () => expect(await statusOf(paths.service)).toBe(200));
  await configs.create(loadAware, { action: "Apply", options: { loadAware: { enablePSIMetrics: false } } });
  await configs.until(loadAware, "Completed");
  await annotate(hcoPath, { "enable-loadaware": "true" });
  await configs.edit(loadAware, { action: "Ignore" });
  const recorded = async () => JSON.stringify((await server.request({ path: paths.governance })).body);
  await until(async () => expect(await recorded()).toMatch(/released.*psi-enable.*since/));
  expect(await statusOf(paths.psi)).toBe(404);

  await annotate(hcoPath, { "enable-loadaware": "false" });
  await stop();
  await install(previous);
  await start(previous);
  await untilAtWork();
  expect(await statusOf(paths.psi)).toBe(404);
}, 600_000);
