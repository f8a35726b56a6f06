import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startServer } from "@virt/testkit";
import { expect, test } from "vitest";
import { condition, patch, read, type SimulatedObject } from "./simulator/objects.ts";
import { mock, openShift, simulate, timeout } from "./simulator/process.ts";

const manager = "virt-platform-autopilot";
const hco = "/apis/hco.kubevirt.io/v1/namespaces/cnv/hyperconvergeds/kubevirt-hyperconverged";
const deployment = `/apis/apps/v1/namespaces/cnv/deployments/${manager}`;
const machineConfigs = "/apis/machineconfiguration.openshift.io/v1/machineconfigs";
const plugins = "/apis/observability.openshift.io/v1alpha1/uiplugins";
const monitoring = `${plugins}/monitoring`;
const deschedulers = "openshift-kube-descheduler-operator";
const descheduler = `/apis/operator.openshift.io/v1/namespaces/${deschedulers}/kubedeschedulers/cluster`;
const applied = [
  hco,
  `${machineConfigs}/90-worker-swap-online`,
  `${machineConfigs}/99-openshift-machineconfig-worker-psi-karg`,
  descheduler,
  monitoring,
  `${plugins}/troubleshooting-panel`,
];
const small = {
  nodes: [{ name: "worker", count: 2, roles: ["worker"], cpus: 4, memoryGiB: 16 }],
  pools: [{ name: "worker" }],
  vms: [],
  hco: { namespace: "cnv" },
  descheduler: { namespace: deschedulers },
  autopilot: true,
};

const isTheirs = ({ metadata }: SimulatedObject) =>
  metadata?.labels?.["platform.kubevirt.io/managed-by"] === manager &&
  metadata.managedFields.some(
    (entry) => entry.manager === manager && "operation" in entry && entry.operation === "Apply",
  );

test("the autopilot takes its objects with forced applies, unless it is off or the object is unmanaged", async () => {
  await using server = await startServer();
  await server.installCrds([...openShift, "hyperconvergeds-v1", "kubedeschedulers-v521", "uiplugins"].map(mock));
  const file = join(server.folder, "scenario.json");
  writeFileSync(file, JSON.stringify(small));
  const simulator = simulate(server, file);
  await simulator.until(/^ready$/m);
  for (const path of applied)
    await expect.poll(async () => isTheirs(await read(server, path)), { ...timeout, message: path }).toBe(true); // oxlint-disable-line no-await-in-loop -- names the missing object
  const limits = ((await server.request({ path: descheduler })).body as Descheduler).spec.evictionLimits;
  expect(limits).toEqual({ total: 5 }); // this CRD has no limit per node
  expect(condition(await read(server, deployment), "Available")?.status).toBe("True");
  expect((await read(server, hco)).metadata.annotations["platform.kubevirt.io/version"]).toBe("1.0.0");

  const apply = async (enabled: boolean, more: object = {}) => {
    const body = {
      apiVersion: "observability.openshift.io/v1alpha1",
      kind: "UIPlugin",
      metadata: { name: "monitoring", ...more },
      spec: { type: "Monitoring", monitoring: { perses: { enabled } } },
    };
    const contentType = "application/apply-patch+yaml";
    const path = `${monitoring}?fieldManager=other&force=true`;
    expect((await server.request({ method: "PATCH", path, contentType, body })).status).toBe(200);
  };
  const isEnabled = async () => {
    const { spec } = (await server.request({ path: monitoring })).body as Plugin;
    return spec.monitoring.perses.enabled;
  };
  await apply(false);
  await expect.poll(isEnabled, timeout).toBe(true);

  // The HyperConverged reports the fault once the simulator has seen the change.
  const annotateHco = async (annotations: object, degraded: "True" | "False") => {
    const degrade = { "simulator.kubevirt.io/degrade": degraded === "True" ? "a cause" : null };
    await patch(server, hco, { metadata: { annotations: { ...annotations, ...degrade } } });
    await expect.poll(async () => condition(await read(server, hco), "Degraded")?.status, timeout).toBe(degraded);
  };
  await annotateHco({ "platform.kubevirt.io/autopilot": " false " }, "True");
  await apply(false);
  await annotateHco({}, "False");
  expect(await isEnabled()).toBe(false);
  await annotateHco({ "platform.kubevirt.io/autopilot": null }, "True");
  await expect.poll(isEnabled, timeout).toBe(true);
  await apply(false, { annotations: { "platform.kubevirt.io/mode": "unmanaged" } });
  await annotateHco({}, "False");
  expect(await isEnabled()).toBe(false);
  await simulator.stop();
  expect(simulator.complaints).toEqual([]);
});

type Descheduler = { readonly spec: { readonly evictionLimits: object } };
type Plugin = { readonly spec: { readonly monitoring: { readonly perses: { readonly enabled: boolean } } } };
