// A cluster that virt-platform-autopilot manages, with our operator idle beside it.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { activationAnnotation, autopilotAnnotation, autopilotName, type KubeObject, managedByLabel } from "@virt/api";
import { asList, asText, at, equalJson } from "@virt/objects";
import { expect, vi } from "vitest";
import { applyManifests } from "./account.ts";
import { optionalCrds } from "./platform-cluster.ts";
import type { RunningProgram } from "./program.ts";
import { startTestCluster, type TestCluster } from "./test-cluster.ts";

const machineConfiguration = "/apis/machineconfiguration.openshift.io/v1";
const plugins = "/apis/observability.openshift.io/v1alpha1/uiplugins";

export const sharedPaths = {
  hco: "/apis/hco.kubevirt.io/v1beta1/namespaces/openshift-cnv/hyperconvergeds/kubevirt-hyperconverged",
  psi: `${machineConfiguration}/machineconfigs/99-openshift-machineconfig-worker-psi-karg`,
  swap: `${machineConfiguration}/machineconfigs/90-worker-swap-online`,
  ownSwap: `${machineConfiguration}/machineconfigs/50-virt-swap-enable`,
  descheduler: "/apis/operator.openshift.io/v1/namespaces/openshift-kube-descheduler-operator/kubedeschedulers/cluster",
  monitoring: `${plugins}/monitoring`,
  troubleshooting: `${plugins}/troubleshooting-panel`,
  pool: `${machineConfiguration}/machineconfigpools/worker`,
  report: "/api/v1/namespaces/virt-platform-operator-system/configmaps/virt-platform-operator-report",
} as const;

/** Rollouts are short, but the render delay is real: ours and theirs must change within it. */
const scenario = {
  nodes: [
    { name: "master", count: 1, roles: ["master", "control-plane"], cpus: 8, memoryGiB: 32 },
    { name: "worker", count: 3, roles: ["worker"], cpus: 32, memoryGiB: 128, swapGiB: 64 },
  ],
  pools: [{ name: "master" }, { name: "worker" }],
  vms: [],
  hco: { namespace: "openshift-cnv" },
  descheduler: { namespace: "openshift-kube-descheduler-operator" },
  autopilot: true,
  durations: { render: 5, drain: 1, apply: 1, reboot: 2, shutdown: 1, operators: 1 },
};

export type AdoptedTestCluster = {
  readonly testCluster: TestCluster;
  readonly operator: RunningProgram;
  readonly read: (path: string) => Promise<KubeObject | undefined>;
  /** Merges a change as a user. */
  readonly edit: (path: string, body: object, as?: string) => Promise<void>;
  /** Returns the value of the label managed-by. */
  readonly managerOf: (path: string) => Promise<string | undefined>;
  readonly annotationsOf: (path: string) => Promise<Readonly<Record<string, string>>>;
  /** Returns the names of the nodes that rebooted since the cluster was ready, in order. */
  readonly reboots: () => readonly string[];
  /** Returns the MachineConfigs of the worker pool, once all nodes run them. */
  readonly settledSources: () => Promise<readonly string[]>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

export async function startAdoptedCluster(): Promise<AdoptedTestCluster> {
  const crds = Object.fromEntries(optionalCrds.map((name) => [name, name]));
  const testCluster = await startTestCluster({ controller: "platform", crds });
  const { server } = testCluster;
  await applyManifests(server, "apiVersion: v1\nkind: Namespace\nmetadata: {name: virt-platform-operator-system}\n");
  const read = async (path: string) => {
    const { status, body } = await server.request({ path });
    return status === 200 ? (body as KubeObject) : undefined;
  };
  const file = join(server.folder, "autopilot.json");
  writeFileSync(file, JSON.stringify(scenario));
  const fast = await testCluster.simulate(file);
  const sources = async () => {
    const pool = await read(sharedPaths.pool);
    return asList(at(pool, "spec", "configuration", "source")).map((one) => asText(at(one, "name")) ?? "");
  };
  const isSettled = async () => {
    const pool = await read(sharedPaths.pool);
    const [wanted, current] = ["spec", "status"].map((part) => at(pool, part, "configuration", "name"));
    const [all, updated] = ["machineCount", "updatedMachineCount"].map((count) => at(pool, "status", count));
    return wanted !== undefined && equalJson(wanted, current) && equalJson(all, updated);
  };
  const nodeObjects = ["90-worker-swap-online", "99-openshift-machineconfig-worker-psi-karg"];
  await until(async () => expect(await sources()).toEqual(expect.arrayContaining(nodeObjects)));
  await until(async () => expect(await isSettled()).toBe(true));
  const last = [sharedPaths.descheduler, sharedPaths.monitoring, sharedPaths.troubleshooting];
  const managerOf = async (path: string) => (await read(path))?.metadata.labels?.[managedByLabel.key];
  await until(async () => expect(await Promise.all(last.map(managerOf))).toEqual(last.map(() => autopilotName)));
  await fast.kill();
  const slow = await testCluster.simulate(file, 1);
  const operator = await testCluster.startOperator();
  await until(async () => expect(at(await read(sharedPaths.report), "data", "report.json")).toBeDefined());
  return {
    testCluster,
    operator,
    read,
    edit: async (path, body, as = "person") => {
      const answer = await server.request({ method: "PATCH", path: `${path}?fieldManager=${as}`, body });
      if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
    },
    managerOf,
    annotationsOf: async (path) => (await read(path))?.metadata.annotations ?? {},
    reboots: () => slow.log.flatMap(({ msg = "" }) => /node (\S+) reboots/.exec(msg)?.[1] ?? []),
    settledSources: async () => {
      await until(async () => expect(await isSettled()).toBe(true));
      return sources();
    },
    [Symbol.asyncDispose]: testCluster[Symbol.asyncDispose],
  };
}

/** Also works in hooks. */
function until(check: () => Promise<void>): Promise<void> {
  return vi.waitFor(check, { timeout: 120_000, interval: 50 });
}

/** Returns the switches of both operators. */
export async function operatorSwitches({ annotationsOf }: AdoptedTestCluster) {
  const annotations = await annotationsOf(sharedPaths.hco);
  return { autopilot: annotations[autopilotAnnotation], own: annotations[activationAnnotation] };
}
