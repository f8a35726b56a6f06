// Sets up a cluster for the advisor, with a pool that accepts our MachineConfig without a reboot.

import { globSync } from "node:fs";
import { configKind, type Status } from "@virt/api";
import type { ApiResponse, Server } from "@virt/testkit";
import { spawnNode } from "./child.ts";
import { createNamespace } from "./config-maps.ts";
import { operatorProgram } from "./programs.ts";
import type { Rig } from "./scenario.ts";
import { until } from "./wait.ts";

const mocks = ["kubedeschedulers-v532", "hyperconvergeds-v1beta1", "machineconfigs", "machineconfigpools"];
const machineConfiguration = "/apis/machineconfiguration.openshift.io/v1";
const descheduler =
  "/apis/operator.openshift.io/v1/namespaces/openshift-kube-descheduler-operator/kubedeschedulers/cluster";
const psi = `${machineConfiguration}/machineconfigs/99-worker-psi-karg`;
const configPath = `/apis/${configKind.apiVersion}/${configKind.plural}`;
export const loadAware = "load-aware-rebalancing";

export async function prepareAdvisor({ api }: Rig): Promise<void> {
  const files = mocks.map((name) => `config/crd/mocks/${name}.yaml`);
  await api.installCrds([...globSync("config/crd/bases/*.yaml"), ...files]);
  for (const name of ["openshift-cnv", "openshift-kube-descheduler-operator", "virt-advisor-operator-system"])
    await createNamespace(api, name);
  await settledPool(api);
}

const pools = `${machineConfiguration}/machineconfigpools`;
const named = (kind: string, name: string) => ({
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind,
  metadata: { name },
});

/** Creates a pool that already lists our MachineConfig, so that the rollout completes without a Machine Config Operator. */
async function settledPool(api: Server): Promise<void> {
  const role = { "node-role.kubernetes.io/worker": "" };
  const selector = { matchLabels: { "machineconfiguration.openshift.io/role": "worker" } };
  const spec = { machineConfigSelector: selector, nodeSelector: { matchLabels: role } };
  // Creates a node, because the advisor does not draft a plan that changes nodes if there are none.
  const node = { apiVersion: "v1", kind: "Node", metadata: { name: "worker-0", labels: role } };
  ok(await api.request({ method: "POST", path: "/api/v1/nodes", body: node }));
  ok(await api.request({ method: "POST", path: pools, body: { ...named("MachineConfigPool", "worker"), spec } }));
  await renderPool(api, "rendered-worker-0");
}

async function renderPool(api: Server, rendered: string): Promise<void> {
  const body = named("MachineConfig", rendered);
  ok(await api.request({ method: "POST", path: `${machineConfiguration}/machineconfigs`, body }));
  const configuration = { name: rendered, source: [{ name: "99-worker-psi-karg" }] };
  ok(await api.request({ method: "PATCH", path: `${pools}/worker`, body: { spec: { configuration } } }));
  const conditions = [{ type: "Updated", status: "True", reason: "", message: "", lastTransitionTime: null }];
  const counts = { machineCount: 1, updatedMachineCount: 1, readyMachineCount: 1, unavailableMachineCount: 0 };
  const status = { configuration: { name: rendered }, conditions, degradedMachineCount: 0, ...counts };
  ok(await api.request({ method: "PATCH", path: `${pools}/worker/status`, body: { status } }));
}

let renderings = 0;

export async function rollOut(api: Server): Promise<void> {
  await until("the MachineConfig is there", 60_000, async () => (await api.request({ path: psi })).status === 200);
  await renderPool(api, `rendered-worker-${++renderings}`);
}

export async function startAdvisor({ api, ours }: Rig, ...flags: readonly string[]) {
  const usual = ["--controllers=advisor", "--health-probe-bind-address=0", `--kubeconfig=${ours.kubeconfig}`];
  const spawned = spawnNode(operatorProgram, [...usual, ...flags], { HOME: api.folder });
  spawned.process.stdout?.resume();
  spawned.process.stderr?.resume();
  await phase(api, loadAware, "Ignored");
  return { ...spawned, [Symbol.asyncDispose]: spawned.end };
}

export async function phase(api: Server, name: string, wanted: string): Promise<Status> {
  let seen: Status = {};
  await until(`${name} is ${wanted}`, 60_000, async () => {
    const { body } = await api.request({ path: `${configPath}/${name}` });
    seen = (body as { readonly status?: Status }).status ?? {};
    return seen.phase === wanted;
  });
  return seen;
}

export async function edit(api: Server, name: string, spec: Readonly<Record<string, unknown>>): Promise<void> {
  ok(await api.request({ method: "PATCH", path: `${configPath}/${name}`, body: { spec } }));
}

export async function startOver(api: Server): Promise<void> {
  await edit(api, loadAware, { action: "Ignore" });
  await phase(api, loadAware, "Ignored");
  for (const path of [psi, descheduler]) await api.request({ method: "DELETE", path });
}

export function ok({ status, body }: ApiResponse): void {
  if (status >= 300) throw new Error(`the API server returned ${status}: ${JSON.stringify(body)}`);
}
