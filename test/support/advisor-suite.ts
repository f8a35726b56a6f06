// Runs the shipped advisor for one test or for all tests of a file.

import type { Spec, Status } from "@virt/api";
import { at } from "@virt/objects";
import type { ApiUser } from "@virt/testkit";
import { afterAll, afterEach, beforeAll } from "vitest";
import { edit, loadAware, paths, printRequestsOnFailure, readAt, removeAt, untilPoolRests } from "./advisor.ts";
import type { RunningProgram } from "./program.ts";
import { type OperatorOptions, startTestCluster, type TestCluster, type TestClusterOptions } from "./test-cluster.ts";

export const withoutPsi = { loadAware: { enablePSIMetrics: false } };
export const psiMachineConfig = "99-worker-psi-karg";
export const psiItem = "enable-psi-metrics";
export const deschedulerItem = "enable-load-aware-descheduling";
export const swapItem = "enable-kubelet-swap";
export const densityItem = "configure-higher-density";

export type AdvisorOptions = TestClusterOptions & {
  /** Mock CRDs in addition to the usual ones. */
  readonly moreCrds?: readonly string[];
  /** Default: no simulated cluster. */
  readonly scenario?: string;
  /** Default: no advertised profiles. */
  readonly flags?: readonly string[];
  /** Runs before the advisor starts. Can return options for each start. */
  readonly prepare?: (cluster: TestCluster) => Promise<OperatorOptions | void>;
  /** True if the test starts the advisor. */
  readonly startsLater?: boolean;
};

export type RunningAdvisor = TestCluster & {
  /** The process that was started last. */
  readonly operator: RunningProgram;
  readonly start: (...moreFlags: readonly string[]) => Promise<void>;
  readonly stop: () => Promise<void>;
};

export async function startAdvisor({
  moreCrds = [],
  scenario,
  flags = ["--advertise-profiles=false"],
  prepare,
  startsLater = false,
  ...options
}: AdvisorOptions = {}): Promise<RunningAdvisor> {
  const crds = { ...Object.fromEntries(moreCrds.map((name) => [name, name])), ...options.crds };
  const cluster = await startTestCluster({ ...options, crds });
  const { startOperator } = cluster;
  let operator: RunningProgram | undefined;
  const running = () => {
    if (operator === undefined) throw new Error("the advisor was never started");
    return operator;
  };
  try {
    const prepared = (await prepare?.(cluster)) ?? {};
    if (scenario !== undefined) await cluster.simulate(scenario);
    const start = async (...moreFlags: readonly string[]) => {
      operator = await startOperator({ ...prepared, flags: [...flags, ...moreFlags] });
    };
    if (!startsLater) await start();
    return {
      ...cluster,
      get operator() {
        return running();
      },
      start,
      stop: () => running().kill(),
    };
  } catch (error) {
    await cluster[Symbol.asyncDispose]();
    throw error;
  }
}

/** Starts the advisor before the tests of a file, and stops it after them. Call the result within a test. */
export function useAdvisor(options: AdvisorOptions = {}): () => RunningAdvisor {
  let advisor: RunningAdvisor;
  beforeAll(async () => {
    advisor = await startAdvisor(options);
  });
  afterEach(printRequestsOnFailure(() => advisor));
  afterAll(() => advisor[Symbol.asyncDispose]());
  return () => advisor;
}

export const pauseWorkers = (actor: ApiUser) => edit(actor, paths.pool("worker"), { spec: { paused: true } });
export const unpauseWorkers = (actor: ApiUser) => edit(actor, paths.pool("worker"), { spec: { paused: false } });

export const hasPausedItem = ({ items = [] }: Status) => items.some(({ message }) => /is paused/.test(message));

/** Pauses the worker pool, creates a config with Apply and waits until one of its items waits for the pool. */
export async function applyToPausedPool(
  { configs, server }: RunningAdvisor,
  config: string,
  spec: Partial<Spec> = {},
): Promise<Status> {
  await pauseWorkers(server);
  await configs.create(config, { action: "Apply", ...spec });
  return configs.until(config, hasPausedItem);
}

/** Removes the load-aware plan and its targets, and waits until no node runs its MachineConfig. */
export async function removeLoadAware({ configs, server }: RunningAdvisor): Promise<void> {
  await configs.remove(loadAware);
  await unpauseWorkers(server);
  await removeAt(server, paths.psi);
  await removeAt(server, paths.descheduler);
  await untilPoolRests(server, psiMachineConfig, false);
}

export async function overcommitOf(actor: ApiUser): Promise<unknown> {
  return at(await readAt(actor, paths.hco), "spec", "higherWorkloadDensity", "memoryOvercommitPercentage");
}
