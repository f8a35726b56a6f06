// Simulates the machine-config operator for one pool step by step, so that every run sees the same steps.

import type { Server } from "@virt/testkit";

const api = "machineconfiguration.openshift.io/v1";
const configs = `/apis/${api}/machineconfigs`;
const pools = `/apis/${api}/machineconfigpools`;
const pool = `${pools}/worker`;

const before = { name: "rendered-worker-before", source: [{ name: "00-worker" }] };
const after = { name: "rendered-worker-after", source: [{ name: "00-worker" }, { name: "99-worker-psi-karg" }] };

const machines = 3;

export async function createPool(server: Server): Promise<void> {
  const rendered = [
    { name: before.name, kernelArguments: [] },
    { name: after.name, kernelArguments: ["psi=1"] },
  ];
  for (const { name, kernelArguments } of rendered)
    await store(server, "POST", configs, { ...named("MachineConfig", name), spec: { kernelArguments } });
  const matchLabels = { "machineconfiguration.openshift.io/role": "worker" };
  const spec = { machineConfigSelector: { matchLabels }, configuration: before };
  await store(server, "POST", pools, { ...named("MachineConfigPool", "worker"), spec });
  await finish(server, before);
}

export async function resetPool(server: Server): Promise<void> {
  await store(server, "PATCH", pool, { spec: { configuration: before } });
  await finish(server, before);
}

export function render(server: Server): Promise<unknown> {
  return store(server, "PATCH", pool, { spec: { configuration: after } });
}

export function rollOut(server: Server): Promise<unknown> {
  return finish(server, after);
}

async function finish(server: Server, configuration: typeof before): Promise<void> {
  const { body } = await server.request({ path: pool });
  const { generation } = (body as { readonly metadata: { readonly generation: number } }).metadata;
  const counts = { machineCount: machines, updatedMachineCount: machines, readyMachineCount: machines };
  const conditions = [condition("Updated", "True"), condition("Updating", "False"), condition("Degraded", "False")];
  const status = { observedGeneration: generation, configuration, ...counts, degradedMachineCount: 0, conditions };
  await store(server, "PATCH", `${pool}/status`, { status });
}

function condition(type: string, status: "True" | "False") {
  return { type, status, lastTransitionTime: "2026-01-01T00:00:00Z", reason: "", message: "" };
}

function named(kind: string, name: string) {
  return { apiVersion: api, kind, metadata: { name } };
}

export async function store(
  server: Server,
  method: "POST" | "PATCH" | "DELETE",
  path: string,
  body?: unknown,
): Promise<void> {
  const answer = await server.request({ method, path, ...(body !== undefined && { body }) });
  const isGone = method === "DELETE" && answer.status === 404;
  if (answer.status >= 300 && !isGone) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
}
