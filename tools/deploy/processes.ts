// Runs the operators as processes on a simulated cluster, with the deployed flags and permissions.

import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { freePorts, type ProcessSpec, startKeptProcesses } from "@virt/testkit";
import { node } from "../demo/steps.ts";
import { type DevCluster, endKeepers, place, record } from "../dev/record.ts";
import type { Cluster } from "./kubectl.ts";
import { controllersOf } from "./manifests.ts";

export async function startProcesses(cluster: Cluster, local: DevCluster, overlay: string): Promise<void> {
  if (local.operators !== undefined) await endKeepers([local.operators.keeper]);
  const programs = await Promise.all(controllersOf(overlay).map((controller) => programOf(cluster, controller)));
  const { keeper, folder } = await startKeptProcesses(programs, true);
  record({ ...local, operators: { keeper, folder } });
  process.stdout.write(`A simulated cluster does not run pods. The operators run as processes with the deployed permissions.
  logs: make logs-local, or ${folder}
`);
  process.exit(0); // the keeper's pipes would keep this process alive
}

async function programOf(cluster: Cluster, controller: string): Promise<ProcessSpec> {
  const name = `virt-${controller}-operator-controller-manager`;
  const namespace = `--namespace=virt-${controller}-operator-system`;
  const container = (field: string) =>
    cluster.ask("get", "deployment", name, namespace, `--output=jsonpath={..containers[0].${field}}`);
  const args = JSON.parse(container("args")) as readonly string[];
  const variables = JSON.parse(container("env")) as readonly { readonly name: string; readonly value?: string }[];
  const token = cluster.ask("create", "token", name, namespace, "--duration=240h");
  const [metrics, debug] = await freePorts(2);
  // Flags that replace those of the manifests, because the last of two equal flags wins. The controllers share this
  // machine's ports, and no certificate is mounted.
  const instead = [
    `--kubeconfig=${kubeconfigOf(cluster, controller, token)}`,
    "--health-probe-bind-address=0",
    "--metrics-cert-path=",
    `--metrics-bind-address=127.0.0.1:${metrics}`,
    ...(controller === "platform" ? [`--debug-bind-address=127.0.0.1:${debug}`] : []),
  ];
  return node(controller, "dist/virt-operator.mjs", ...flagsOf(variables), ...args, ...instead);
}

/**
 * Converts the variables of the Deployment to flags, because the keeper's programs have no environment of their own.
 */
function flagsOf(variables: readonly { readonly name: string; readonly value?: string }[]): readonly string[] {
  return variables.flatMap(({ name, value = "" }) => {
    const [, flag] = /^VIRT_OPERATOR_(.+)$/.exec(name) ?? [];
    return flag === undefined || value === "" ? [] : [`--${flag.toLowerCase().replaceAll("_", "-")}=${value}`];
  });
}

type Kubeconfig = { readonly users: readonly { readonly name: string }[] };

function kubeconfigOf(cluster: Cluster, controller: string, token: string): string {
  const admins = JSON.parse(cluster.ask("config", "view", "--raw", "--minify", "--output=json")) as Kubeconfig;
  const users = admins.users.map(({ name }) => ({ name, user: { token } }));
  const file = resolve(place, `${controller}.kubeconfig`);
  writeFileSync(file, JSON.stringify({ ...admins, users }), { mode: 0o600 });
  return file;
}
