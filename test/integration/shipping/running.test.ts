// Each controller runs with the flags, account and rights of its manifests, as in its container.

import { get as getPlain } from "node:http";
import { get as getSecure } from "node:https";
import { text } from "node:stream/consumers";
import { inRepository, type Server, startServer } from "@virt/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accountName, type ControllerName } from "../../support/account.ts";
import { configClientFor } from "../../support/config-client.ts";
import { mockCrd } from "../../support/test-cluster.ts";
import { untilGranted } from "../rights/rights-cluster.ts";
import { type Container, startContainer } from "./container.ts";
import { deploymentsIn, objectsOf, succeeded } from "./manifests.ts";

const mocks = [
  "hyperconvergeds-v1beta1",
  "kubedeschedulers-v532",
  "machineconfigs",
  "machineconfigpools",
  "prometheusrules",
  "servicemonitors",
];
const foreignNamespaces = ["openshift-cnv", "openshift-kube-descheduler-operator"];

let server: Server;
beforeAll(async () => {
  server = await startServer();
  succeeded(await server.kubectl("apply", "-k", inRepository("config", "default")));
  // Our own CRD already exists. This call waits until it is served.
  await server.installCrds(["config/crd/bases/advisor.kubevirt.io_virtplatformconfigs.yaml", ...mocks.map(mockCrd)]);
  for (const name of foreignNamespaces) succeeded(await server.kubectl("create", "namespace", name));
});
afterAll(() => server.stop());

describe.each<ControllerName>(["advisor", "platform"])("the %s controller", (controller) => {
  const namespace = `virt-${controller}-operator-system`;
  let container: Container;
  let memoryBytes: number;

  beforeAll(async () => {
    const all = deploymentsIn(await objectsOf(server, "default"));
    const [deployment] = all.filter(({ metadata }) => metadata.namespace === namespace);
    if (deployment === undefined) throw new Error(`there is no Deployment in ${namespace}`);
    const { serviceAccountName, containers } = deployment.spec.template.spec;
    const [{ args, env: variables, resources }] = containers;
    const env = Object.fromEntries(variables.map(({ name, value = namespace }) => [name, value]));
    memoryBytes = Number.parseInt(resources.limits.memory, 10) * 2 ** 20;
    const { kubeconfig } = await server.serviceAccount(namespace, serviceAccountName);
    container = await startContainer({ args, env, kubeconfig, memoryBytes });
  });
  afterAll(() => container.stop());

  const probe = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${container.ports.probes}${path}`).catch(() => undefined);
    return answer?.status;
  };

  test("becomes ready and leads, as an arbitrary user", async () => {
    await expect.poll(() => probe("/readyz")).toBe(200);
    await expect.poll(() => container.log.map(({ msg }) => msg)).toContain("became leader");
    expect(await probe("/healthz")).toBe(200);
    expect(container.userId()).toBe(process.getuid?.() === 0 ? 1_000_660_000 : process.getuid?.());
  });

  test("reconciles its objects", async () => {
    await expect(works[controller]()).resolves.toBeUndefined();
  });

  describe("metrics", () => {
    const answers = [
      { reason: "a client without a token", who: undefined, status: 401 },
      { reason: "a client with an unknown token", who: "unknown", status: 401 },
      { reason: "an account without the right", who: "stranger", status: 403 },
      { reason: "an account with the metrics role", who: "reader", status: 200 },
    ];
    const role = `virt-${controller}-operator-metrics-reader`;

    beforeAll(async () => {
      const account = "--serviceaccount=monitoring:reader";
      const reader = await server.serviceAccount("monitoring", "reader");
      succeeded(await server.kubectl("create", "clusterrolebinding", role, `--clusterrole=${role}`, account));
      await untilGranted(reader, { nonResourceAttributes: { path: "/metrics", verb: "get" } });
    });

    test.each(answers)("return $status to $reason", async ({ who, status }) => {
      const known = who === "reader" || who === "stranger";
      const token = known ? (await server.serviceAccount("monitoring", who)).token : who;
      const page = await ask("https", container.ports.metrics, token);
      expect(page.status).toBe(status);
      expect(page.body.includes("# HELP")).toBe(status === 200);
    });

    test("refuse plain HTTP", async () => {
      const { token } = await server.serviceAccount("monitoring", "reader");
      await expect(ask("http", container.ports.metrics, token)).rejects.toThrow(/hang up|reset/i);
    });
  });

  test("stays within its memory and exits without a warning", async () => {
    expect(container.peakBytes()).toBeLessThan(memoryBytes / 2);
    expect(await container.stop()).toBe(0);
    const complaints = container.log.filter(({ level }) => level === "warn" || level === "error");
    expect(complaints.filter(({ msg }) => !msg?.startsWith("no certificate in "))).toEqual([]);
  });

  test("sends no request that is refused", () => {
    const asked = server.audit().filter(({ user }) => user?.username === accountName(controller));
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter(({ responseStatus }) => responseStatus?.code === 403)).toEqual([]);
  });
});

const works: Readonly<Record<ControllerName, () => Promise<void>>> = {
  advisor: async () => {
    const configs = configClientFor(server);
    await configs.until("load-aware-rebalancing", "Ignored");
    await configs.edit("load-aware-rebalancing", { action: "DryRun" });
    await configs.until("load-aware-rebalancing", "ReviewRequired");
  },
  platform: async () => {
    const metadata = {
      name: "kubevirt-hyperconverged",
      namespace: "openshift-cnv",
      annotations: { "platform.kubevirt.io/virt-platform-operator": "monitoring" },
    };
    const body = { apiVersion: "hco.kubevirt.io/v1beta1", kind: "HyperConverged", metadata, spec: {} };
    await server.request({
      method: "POST",
      path: "/apis/hco.kubevirt.io/v1beta1/namespaces/openshift-cnv/hyperconvergeds",
      body,
    });
    const service = "/api/v1/namespaces/virt-platform-operator-system/services/virt-platform-operator-metrics";
    const seen = async () => JSON.stringify((await server.request({ path: service })).body);
    await expect.poll(seen).toContain("platform.kubevirt.io/managed-by");
  },
};

function ask(scheme: "http" | "https", port: number, token?: string): Promise<{ status: number; body: string }> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const settings = { headers, agent: false, rejectUnauthorized: false };
  return new Promise((resolve, reject) => {
    const send = scheme === "https" ? getSecure : getPlain;
    const request = send(`${scheme}://127.0.0.1:${port}/metrics`, settings, (incoming) => {
      text(incoming).then((body) => resolve({ status: incoming.statusCode ?? 0, body }), reject);
    });
    request.once("error", reject);
  });
}
