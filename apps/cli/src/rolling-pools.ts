// Finds the MachineConfigPools that are updating, and the cause of each update, for `status`.

import type { KubeObject, VirtPlatformConfig } from "@virt/api";
import { listObjects, type Resource } from "@virt/kube";
import { asList, at } from "@virt/objects";
import { findReports } from "@virt/reads";
import { platformWritesOf, type RollingPool, rollingPools, rollingPoolText } from "@virt/views";
import { type Block, textBlock } from "./blocks.ts";
import type { ClusterSession } from "./cluster-session.ts";
import { type StatusOptions, shownRollout } from "./status-blocks.ts";
import { CliError } from "./verb.ts";

/** Returns undefined if the user may not list pools. Pass `configs` to save a request. */
export async function readRollingPools(
  session: ClusterSession,
  listed: readonly VirtPlatformConfig[] | undefined,
  signal: AbortSignal,
): Promise<readonly RollingPool[] | undefined> {
  const pools = await listPools(session, signal);
  if (pools === undefined) return undefined;
  if (rollingPools({ pools, configs: [], platformWrites: [] }).length === 0) return [];
  const [configs, { reports }] = await Promise.all([
    listed ?? listConfigs(session),
    findReports(session.client, signal),
  ]);
  return rollingPools({ pools, configs, platformWrites: platformWritesOf(reports) });
}

async function listConfigs(session: ClusterSession): Promise<readonly VirtPlatformConfig[] | undefined> {
  try {
    return await session.listConfigs();
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

const poolPlace: Resource = {
  group: "machineconfiguration.openshift.io",
  version: "v1",
  plural: "machineconfigpools",
  isNamespaced: false,
};

async function listPools({ client }: ClusterSession, signal: AbortSignal): Promise<readonly KubeObject[] | undefined> {
  const answer = await client.send(listObjects(poolPlace, {}), { signal });
  if (answer.kind === "answered" && answer.status === 404) return [];
  if (answer.kind !== "answered" || answer.status !== 200) return undefined;
  return asList(at(answer.body ?? null, "items")) as unknown as readonly KubeObject[];
}

/** Omits pools whose update is already shown as the progress of a config. */
export function rollingPoolBlocks(
  rolling: readonly RollingPool[] | undefined,
  configs: readonly VirtPlatformConfig[],
  options: Pick<StatusOptions, "now" | "isDetailed">,
): readonly Block[] {
  const hasBars = (pool: string, name: string) =>
    configs.some(
      (config) =>
        config.metadata.name === name && shownRollout(config, options)?.pools.some((bar) => bar.name === pool),
    );
  const isShown = ({ name, causes }: RollingPool) =>
    causes.every((cause) => cause.kind === "plan" && cause.configs.every((config) => hasBars(name, config)));
  const texts = rolling?.filter((pool) => !isShown(pool)).map(rollingPoolText) ?? [
    "Updating pools are not shown: machineconfigpools cannot be listed.",
  ];
  return texts.length === 0 ? [] : [textBlock(...texts.map((text) => ({ text, style: "warning" }) as const))];
}
