// Sets up a cluster for the platform controller: all kinds that the catalog uses, a HyperConverged and three workers.

import { globSync } from "node:fs";
import { basename } from "node:path";
import type { KubeObject } from "@virt/api";
import type { Server } from "@virt/testkit";
import { ok } from "./advisor-cluster.ts";
import { spawnNode } from "./child.ts";
import { createNamespace } from "./config-maps.ts";
import { operatorProgram } from "./programs.ts";
import type { Rig } from "./scenario.ts";
import { until } from "./wait.ts";

export const hcoPath = "/apis/hco.kubevirt.io/v1beta1/namespaces/openshift-cnv/hyperconvergeds/kubevirt-hyperconverged";
export const checkPath = "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks/virt-node-health-check";
const swapPath = "/apis/machineconfiguration.openshift.io/v1/machineconfigs/50-virt-swap-enable";
const own = "virt-platform-operator-system";

/** For kinds with several mock CRDs, the one that the guides use. */
const chosen: Readonly<Record<string, string>> = { kubedeschedulers: "v532", hyperconvergeds: "v1beta1" };

export async function preparePlatform({ api }: Rig): Promise<void> {
  const mocks = globSync("config/crd/mocks/*.yaml").filter((file) => {
    const [plural = "", generation] = basename(file, ".yaml").split("-");
    return generation === undefined || chosen[plural] === generation;
  });
  await api.installCrds([...globSync("config/crd/bases/*.yaml"), ...mocks]);
  for (const name of ["openshift-cnv", "openshift-mtv", "metallb-system", own]) await createNamespace(api, name);
  for (const name of ["worker-0", "worker-1", "worker-2"]) {
    const labels = { "node-role.kubernetes.io/worker": "" };
    ok(await api.request({ method: "POST", path: "/api/v1/nodes", body: { metadata: { name, labels } } }));
  }
  const path = hcoPath.slice(0, hcoPath.lastIndexOf("/"));
  const hco = { apiVersion: "hco.kubevirt.io/v1beta1", kind: "HyperConverged", spec: {} };
  ok(await api.request({ method: "POST", path, body: { ...hco, metadata: { name: "kubevirt-hyperconverged" } } }));
}

type PlatformOptions = {
  readonly program?: string;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
};

/** Starts the shipped operator with only the platform controller, with activation `always`. `flags` can override this. */
export function startPlatform(
  { api, ours }: Rig,
  { program = operatorProgram, flags = [], env = {} }: PlatformOptions = {},
) {
  const usual = ["--controllers=platform", "--activation=always", "--health-probe-bind-address=0"];
  const all = [...usual, `--kubeconfig=${ours.kubeconfig}`, ...flags];
  const spawned = spawnNode(program, all, { HOME: api.folder, ...env });
  spawned.process.stdout?.resume();
  spawned.process.stderr?.resume();
  return { ...spawned, [Symbol.asyncDispose]: spawned.end };
}

/** Waits until all objects that apply to this cluster exist. */
export async function converged(api: Server): Promise<void> {
  await until("the golden objects are there", 60_000, async () => {
    const found = await Promise.all([checkPath, swapPath, hcoPath, servicePath].map((path) => isOurs(api, path)));
    return found.every((one) => one);
  });
}

const servicePath = `/api/v1/namespaces/${own}/services/virt-platform-operator-metrics`;

async function isOurs(api: Server, path: string): Promise<boolean> {
  const { status, body } = await api.request({ path });
  const { metadata } = body as KubeObject;
  return status === 200 && metadata.labels?.["platform.kubevirt.io/managed-by"] !== undefined;
}

export async function forgetAll(api: Server): Promise<void> {
  const machineConfigs = "/apis/machineconfiguration.openshift.io/v1";
  const paths = [
    checkPath,
    swapPath,
    servicePath,
    `${machineConfigs}/kubeletconfigs/virt-perf-settings`,
    "/apis/observability.openshift.io/v1alpha1/uiplugins/monitoring",
    "/apis/forklift.konveyor.io/v1beta1/namespaces/openshift-mtv/forkliftcontrollers/forklift-controller",
    "/apis/metallb.io/v1beta1/namespaces/metallb-system/metallbs/metallb",
    `/apis/monitoring.coreos.com/v1/namespaces/${own}/servicemonitors/virt-platform-operator-metrics`,
    `/apis/monitoring.coreos.com/v1/namespaces/${own}/prometheusrules/virt-platform-operator-alerts`,
  ];
  for (const path of paths) await api.request({ method: "DELETE", path });
  const labels = { "platform.kubevirt.io/managed-by": null };
  const annotations = { "platform.kubevirt.io/state": null };
  ok(await api.request({ method: "PATCH", path: hcoPath, body: { metadata: { labels, annotations } } }));
}
