import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { asList, at } from "@virt/objects";
import { type Server, startServer } from "@virt/testkit";
import { expect, test } from "vitest";
import {
  addConfig,
  condition,
  cordoned,
  machineConfiguration,
  patch,
  poolPath,
  psi,
  read,
  sources,
  untilUpdated,
} from "./simulator/objects.ts";
import { mock, openShift, shareServer, simulate, timeout } from "./simulator/process.ts";

const server = shareServer();

test("custom pools inherit worker configs, and KubeletConfigs follow their selector", async () => {
  const api = server();
  const simulator = simulate(api, "custom-pool");
  await simulator.until(/^ready$/m);
  expect((await read(api, poolPath("infra"))).status.machineCount).toBe(2);
  await addConfig(api, "99-worker-psi-karg", psi);
  await untilUpdated(api, "infra", "99-worker-psi-karg");
  await untilUpdated(api, "worker", "99-worker-psi-karg");
  expect(cordoned(simulator).toSorted()).toEqual(["infra-0", "infra-1", "worker-0", "worker-1"]);

  const selector = {
    matchExpressions: [{ key: "pools.operator.machineconfiguration.openshift.io/master", operator: "DoesNotExist" }],
  };
  const spec = { machineConfigPoolSelector: selector, autoSizingReserved: true, kubeletConfig: { maxPods: 500 } };
  const metadata = { name: "virt", annotations: { mine: "lost, as with the real one" } };
  const body = { apiVersion: "machineconfiguration.openshift.io/v1", kind: "KubeletConfig", metadata, spec };
  const path = `${machineConfiguration}/kubeletconfigs`;
  expect((await api.request({ method: "POST", path, body })).status).toBe(201);
  await untilUpdated(api, "worker", "99-worker-generated-kubelet");
  await untilUpdated(api, "infra", "99-infra-generated-kubelet");
  const config = await read(api, `${path}/virt`);
  expect(config.metadata.annotations).toEqual({ "machineconfiguration.openshift.io/mc-name-suffix": "" });
  expect(condition(config, "Success")?.status).toBe("True");

  await api.request({ method: "DELETE", path: `${path}/virt` });
  await expect
    .poll(async () => sources(await read(api, poolPath("worker"))), timeout)
    .not.toContain("99-worker-generated-kubelet");
  await expect.poll(async () => (await api.request({ path: `${path}/virt` })).status, timeout).toBe(404);
});

async function expectHco(server: Server, version: string): Promise<void> {
  const path = `/apis/hco.kubevirt.io/${version}/namespaces/cnv/hyperconvergeds/kubevirt-hyperconverged`;
  const settled = async () => {
    const hco = await read(server, path);
    const statuses = ["Available", "Progressing", "Degraded"].map((type) => condition(hco, type)?.status);
    return [hco.status?.observedGeneration, ...statuses];
  };
  await expect.poll(settled, timeout).toEqual([2, "True", "False", "False"]); // the default is a separate change
  expect((await read(server, path)).spec).toMatchObject(setHco(version, { evictionStrategy: "LiveMigrate" }).spec);
  const waspAgent = async () =>
    (await server.request({ path: "/apis/apps/v1/namespaces/cnv/daemonsets/wasp-agent" })).status;
  await expect.poll(waspAgent, timeout).toBe(200);
  const autopilot = (value: string | null) => ({
    metadata: { annotations: { "platform.kubevirt.io/autopilot": value } },
  });
  await patch(server, path, autopilot("psi-enable, swap-enable"));
  await expect.poll(waspAgent, timeout).toBe(404);
  await patch(server, path, autopilot(null));
  await expect.poll(waspAgent, timeout).toBe(200);
  await patch(server, path, setHco(version, overcommit(100)));
  await expect.poll(waspAgent, timeout).toBe(404);
  await expect.poll(settled, timeout).toEqual([3, "True", "False", "False"]);
}

const setHco = (version: string, fields: object) => ({ spec: version === "v1" ? { virtualization: fields } : fields });
const overcommit = (percent: number) => ({ higherWorkloadDensity: { memoryOvercommitPercentage: percent } });

function fileOf(scenario: object): string {
  const file = join(server().folder, "scenario.json");
  writeFileSync(file, JSON.stringify(scenario));
  return file;
}

const small = {
  nodes: [{ name: "worker", count: 2, roles: ["worker"], cpus: 4, memoryGiB: 16 }],
  pools: [{ name: "worker" }],
  vms: [],
  hco: { namespace: "cnv", memoryOvercommitPercentage: 150 },
  descheduler: { namespace: "descheduler", spec: { managementState: "Unmanaged" } },
};

test("HyperConverged v1beta1 gets defaults, status, and wasp-agent if overcommitted", async () => {
  const api = server();
  const simulator = simulate(api, fileOf(small));
  await simulator.until(/^ready$/m);
  await expectHco(api, "v1beta1");
  expect(simulator.complaints).toEqual([]);
});

test("HyperConverged v1 does the same, and each managed descheduler generation reports", async () => {
  await using other = await startServer();
  await other.installCrds([...openShift, "hyperconvergeds-v1"].map(mock));
  const simulator = simulate(other, fileOf(small));
  await simulator.until(/^ready$/m);
  await expectHco(other, "v1");

  const path = "/apis/operator.openshift.io/v1/namespaces/descheduler/kubedeschedulers/cluster";
  const reported = async () => {
    const object = await read(other, path);
    const [deployment] = asList(at(object, "status", "generations"));
    const isKnown = at(deployment, "lastGeneration") === object.metadata.generation;
    return isKnown && condition(object, "TargetConfigControllerDegraded")?.status === "False";
  };
  await other.installCrds([mock("kubedeschedulers-v510")]);
  await expect.poll(async () => (await other.request({ path })).status, timeout).toBe(200);
  expect((await read(other, path)).status).toBeUndefined();
  await patch(other, path, { spec: { managementState: "Managed" } });
  await expect.poll(reported, timeout).toBe(true);
  for (const generation of ["v514", "v521", "v532"]) {
    await other.installCrds([mock(`kubedeschedulers-${generation}`)]); // oxlint-disable-line no-await-in-loop -- an upgrade follows another
    await patch(other, path, { spec: { deschedulingIntervalSeconds: Number(generation.slice(1)) } }); // oxlint-disable-line no-await-in-loop -- one generation after the other
    await expect.poll(reported, timeout).toBe(true); // oxlint-disable-line no-await-in-loop -- one generation after the other
  }
  await simulator.stop();
  expect(simulator.complaints).toEqual([]);
});
