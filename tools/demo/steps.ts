// Starts a simulated cluster step by step, with a progress line and the duration of each step.

import { globSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { type KeptProcesses, type ProcessSpec, type Server, startKeptProcesses, startServer } from "@virt/testkit";
import { startProgress } from "../progress.ts";
import { mockFiles } from "./mocks.ts";

export type Simulated = { readonly server: Server; readonly programs: KeptProcesses; readonly logs: string };

export type SimulatedClusterOptions = {
  readonly scenario: string;
  readonly speed: string;
  /** Plurals of the kinds whose CRD is installed later. */
  readonly without?: readonly string[];
  /** Kustomization folders that are applied before any program starts. */
  readonly manifests?: readonly string[];
  /** True if the cluster keeps running after this process ends. */
  readonly outlivesOwner: boolean;
  readonly programs: (kubeconfig: string) => readonly ProcessSpec[];
};

const patienceMs = 120_000;

export async function bringUp({
  without = [],
  manifests = [],
  ...options
}: SimulatedClusterOptions): Promise<Simulated> {
  const { outlivesOwner, scenario } = options;
  const server = await step("API server and etcd", () => startServer({ outlivesOwner }));
  try {
    await step("CRDs", async () => {
      const crds = server.installCrds([...globSync("config/crd/bases/*.yaml"), ...mockFiles(without)]);
      await Promise.all([crds, ...manifests.map((file) => apply(server, file))]);
    });
    const kept = await step(`simulated cluster (${scenario})`, (update) => populate(server, options, update));
    return { server, programs: kept, logs: kept.folder };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function apply(server: Server, folder: string): Promise<void> {
  const { code, stderr } = await server.kubectl("apply", "--server-side", "-k", folder);
  if (code !== 0) throw new Error(`cannot apply ${folder}: ${stderr}`);
}

type Update = (text: string) => void;

async function populate(server: Server, options: SimulatedClusterOptions, update: Update): Promise<KeptProcesses> {
  const { scenario, speed, outlivesOwner, programs } = options;
  const { kubeconfig } = server;
  const flags = [`--kubeconfig=${kubeconfig}`, `--scenario=${scenario}`, `--speed=${speed}`];
  const simulator = node("simulator", "dist/virt-simulator.mjs", ...flags);
  const running = await startKeptProcesses([simulator, ...programs(kubeconfig)], outlivesOwner);
  try {
    await settled(server, running, update);
    return running;
  } catch (error) {
    const [said] = readFileSync(`${running.folder}/simulator.log`, "utf8").trimEnd().split("\n").slice(-1);
    await running.end();
    throw new Error(`${error instanceof Error ? error.message : String(error)}; last line of its log: ${said}`, {
      cause: error,
    });
  }
}

export function node(name: string, script: string, ...args: readonly string[]): ProcessSpec {
  return { name, command: process.execPath, args: [`${process.cwd()}/${script}`, ...args] };
}

export async function step<T>(name: string, work: (update: Update) => Promise<T>): Promise<T> {
  const progress = startProgress(name, process.stderr);
  try {
    const result = await work(progress.update);
    progress.done("");
    return result;
  } catch (error) {
    progress.fail();
    throw error;
  }
}

type Pools = {
  readonly items?: readonly {
    readonly status?: { readonly machineCount?: number; readonly readyMachineCount?: number };
  }[];
};

async function settled(server: Server, programs: KeptProcesses, update: Update): Promise<void> {
  const deadline = AbortSignal.timeout(patienceMs);
  const failed = programs.failure.then((why) => Promise.reject(new Error(why)));
  while (!deadline.aborted) {
    const asked = server.request({ path: "/apis/machineconfiguration.openshift.io/v1/machineconfigpools" });
    const { items = [] } = (await Promise.race([asked, failed])).body as Pools;
    const ready = items.reduce((sum, { status }) => sum + (status?.readyMachineCount ?? 0), 0);
    const isReady = ({ status }: NonNullable<Pools["items"]>[number]) =>
      status?.machineCount !== undefined && status.machineCount === status.readyMachineCount;
    if (items.length > 0 && ready > 0 && items.every(isReady)) return;
    update(`${ready} nodes ready`);
    await wait(100);
  }
  throw new Error(`the simulated cluster was not ready after ${patienceMs / 1000} s`);
}
