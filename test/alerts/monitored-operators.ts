// Runs both shipped operators behind their Services with service CA certificates, and a Prometheus configured from
// their ServiceMonitors.

import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { issueAuthority, issueServer } from "@virt/kube";
import { type ApiUser, freePorts, inRepository } from "@virt/testkit";
import { expect, vi } from "vitest";
import { applyManifests, type ControllerName, operatorAccount } from "../support/account.ts";
import type { RunningProgram } from "../support/program.ts";
import type { TestCluster } from "../support/test-cluster.ts";
import { type PrometheusServer, startPrometheus } from "./prometheus-server.ts";
import { type RuleGroups, scaleDuration, scaleRules } from "./scaled-rules.ts";
import { discoverTargets, type ServiceMonitor, scrapeConfigOf } from "./scrape-config.ts";

export type MonitoredOperators = {
  readonly prometheus: PrometheusServer;
  readonly operators: Readonly<Record<ControllerName, RunningProgram>>;
  readonly restart: (controller: ControllerName) => Promise<RunningProgram>;
};

const controllers = ["advisor", "platform"] as const;
const monitoring = "openshift-monitoring";
const operatorFlags = { advisor: [], platform: ["--activation=always"] };
const placeOf = (controller: ControllerName) => ({
  namespace: `virt-${controller}-operator-system`,
  service: `virt-${controller}-operator-metrics`,
});

export async function startMonitoredOperators(testCluster: TestCluster): Promise<MonitoredOperators> {
  const { server } = testCluster;
  const folder = mkdtempSync(join(server.folder, "monitoring-"));
  const validity = { from: new Date(0), until: new Date(4e12) };
  const serviceCa = issueAuthority("service-ca", validity);
  const starts = await Promise.all(
    controllers.map(async (controller) => {
      const { namespace, service } = placeOf(controller);
      const account = await operatorAccount(server, controller);
      const { certificate, key } = issueServer(serviceCa, [`${service}.${namespace}.svc`], validity);
      const certificates = mkdtempSync(join(folder, `${controller}-`));
      writeFileSync(join(certificates, "tls.crt"), certificate);
      writeFileSync(join(certificates, "tls.key"), key);
      const [port = 0] = await freePorts(1);
      const flags = [
        `--controllers=${controller}`,
        "--leader-elect",
        `--metrics-bind-address=127.0.0.1:${port}`,
        `--metrics-cert-path=${certificates}`,
        ...operatorFlags[controller],
      ];
      for (const part of ["manager", "prometheus"]) await applyFolder(testCluster, part, controller);
      await applyManifests(server, JSON.stringify(endpointSlice(controller, port)));
      return () => testCluster.startOperator({ kubeconfig: account.kubeconfig, flags });
    }),
  );
  const [startAdvisor, startPlatform] = starts;
  if (startAdvisor === undefined || startPlatform === undefined) throw new Error("there are two controllers");
  const start = { advisor: startAdvisor, platform: startPlatform };
  const operators = { advisor: await startAdvisor(), platform: await startPlatform() };
  const credentials = await writeCredentials(testCluster, folder, serviceCa.certificate);
  const prometheus = await startPrometheus({
    folder,
    scrapeConfigs: await readScrapeConfigs(testCluster, credentials),
    rules: scaleRules(await readRules(testCluster)),
  });
  return { prometheus, operators, restart: (controller) => start[controller]() };
}

async function applyFolder({ server }: TestCluster, part: string, controller: ControllerName): Promise<void> {
  const { code, stderr } = await server.kubectl(
    "apply",
    "--server-side",
    "-k",
    inRepository("config", part, controller),
  );
  if (code !== 0) throw new Error(stderr);
}

function endpointSlice(controller: ControllerName, port: number) {
  const { namespace, service } = placeOf(controller);
  const labels = { "kubernetes.io/service-name": service };
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: `${service}-1`, namespace, labels },
    addressType: "IPv4",
    ports: [{ name: "metrics", port, protocol: "TCP" }],
    endpoints: [
      {
        addresses: ["192.0.2.1"],
        conditions: { ready: true },
        targetRef: { kind: "Pod", namespace, name: `${controller}-0` },
      },
    ],
  };
}

type Credentials = {
  readonly account: ApiUser;
  readonly tokenFile: string;
  readonly strangersTokenFile: string;
  readonly serviceCaFile: string;
};

/** Uses the shipped roles: one to read metrics, and those next to the ServiceMonitors to discover pods. */
async function writeCredentials({ server }: TestCluster, folder: string, serviceCa: string): Promise<Credentials> {
  const write = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const account = await server.serviceAccount(monitoring, "prometheus-k8s");
  const stranger = await server.serviceAccount(monitoring, "stranger");
  for (const controller of controllers) {
    const role = `virt-${controller}-operator-metrics-reader`;
    const subject = `--serviceaccount=${monitoring}:prometheus-k8s`;
    const { code, stderr } = await server.kubectl(
      "create",
      "clusterrolebinding",
      role,
      `--clusterrole=${role}`,
      subject,
    );
    if (code !== 0) throw new Error(stderr);
  }
  return {
    account,
    tokenFile: write("token", account.token),
    strangersTokenFile: write("strangers-token", stranger.token),
    serviceCaFile: write("service-ca.crt", serviceCa),
  };
}

/** Returns a scrape config for each ServiceMonitor in the cluster, and a copy with another account's token. */
async function readScrapeConfigs(testCluster: TestCluster, credentials: Credentials) {
  const { account, tokenFile, strangersTokenFile, serviceCaFile } = credentials;
  const monitors = await readItems<ServiceMonitor>(testCluster, "servicemonitors");
  expect(monitors.map(({ metadata }) => metadata.name).toSorted()).toEqual(
    controllers.map((controller) => placeOf(controller).service),
  );
  const configs = monitors.map(async (monitor) => {
    const discovered = await discoverTargets(account, monitor.metadata.namespace);
    const options = { tokenFile, serviceCaFile, interval: scaleDuration(monitor.spec.endpoints[0].interval) };
    const strangers = { ...options, tokenFile: strangersTokenFile, jobPrefix: "stranger" };
    return [options, strangers].map((one) => scrapeConfigOf(monitor, discovered, one));
  });
  return (await Promise.all(configs)).flat();
}

/** The advisor's rules come from its manifests, the platform's from the platform controller. */
async function readRules(testCluster: TestCluster): Promise<RuleGroups> {
  const specs = await vi.waitFor(
    async () => {
      const rules = await readItems<{ readonly spec: RuleGroups }>(testCluster, "prometheusrules");
      expect(rules.flatMap(({ spec }) => spec.groups.map(({ name }) => name)).toSorted()).toEqual(
        controllers.map((controller) => `virt-${controller}-operator`),
      );
      return rules.map(({ spec }) => spec);
    },
    { timeout: 120_000, interval: 100 },
  );
  return { groups: specs.flatMap(({ groups }) => groups) };
}

async function readItems<Item>({ server }: TestCluster, plural: string): Promise<readonly Item[]> {
  const { body } = await server.request({ path: `/apis/monitoring.coreos.com/v1/${plural}` });
  return (body as { readonly items: readonly Item[] }).items;
}
