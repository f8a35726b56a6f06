// Detects guide steps that reboot nodes without a warning in the preceding text.

import { expect } from "vitest";
import type { Shell } from "../e2e/shell.ts";
import type { Step } from "./printed.ts";

type Config = {
  readonly kind: "VirtPlatformConfig";
  readonly metadata: { readonly generation: number };
  readonly spec: { readonly action: string };
  readonly status?: { readonly phase?: string; readonly observedGeneration?: number };
};

type Pool = {
  readonly kind: "MachineConfigPool";
  readonly metadata: { readonly name: string };
  readonly spec: { readonly configuration?: { readonly name?: string } };
};

type Cluster = { readonly configs: readonly Config[]; readonly pools: readonly Pool[] };

export type Reboots = {
  /** Returns an error if a pool got another configuration without a mention of reboots before the step. */
  readonly unannounced: (step: Step) => Promise<string | undefined>;
};

export async function followReboots(shell: Shell): Promise<Reboots> {
  let before = targetsOf(await settled(shell));
  let isAnnounced = false;
  let wasAnnounced = false;
  return {
    unannounced: async (step) => {
      const cluster = await settled(shell);
      const now = targetsOf(cluster);
      wasAnnounced = isAnnounced;
      isAnnounced = /reboot/i.test(step.lead);
      const moved = Object.keys(now).filter((pool) => now[pool] !== before[pool]);
      before = now;
      // Controllers can act on a step while the next one runs, and a plan continues while it is InProgress.
      const isCovered = isAnnounced || wasAnnounced;
      isAnnounced ||= wasAnnounced && cluster.configs.some(({ status }) => status?.phase === "InProgress");
      if (moved.length === 0 || isCovered) return undefined;
      return `"${step.says}" reboots pool ${moved.join(", ")}, and the paragraph before it does not say so: ${step.lead}`;
    },
  };
}

const passing = [undefined, "Pending", "Drafting"];

async function settled(shell: Shell): Promise<Cluster> {
  let cluster: Cluster = { configs: [], pools: [] };
  const unanswered = async () => {
    cluster = await readCluster(shell);
    return cluster.configs.filter(
      ({ metadata, status }) => status?.observedGeneration !== metadata.generation || passing.includes(status?.phase),
    );
  };
  await expect.poll(unanswered).toEqual([]);
  return cluster;
}

/** Uses one command, because each is a process and runs around every step. */
async function readCluster(shell: Shell): Promise<Cluster> {
  const { stdout, stderr } = await shell.run("kubectl get vpconf,machineconfigpools -o json --ignore-not-found");
  expect(stderr).toBe("");
  if (stdout === "") return { configs: [], pools: [] };
  const { items } = JSON.parse(stdout) as { readonly items: readonly (Config | Pool)[] };
  return {
    configs: items.filter((item): item is Config => item.kind === "VirtPlatformConfig"),
    pools: items.filter((item): item is Pool => item.kind === "MachineConfigPool"),
  };
}

function targetsOf({ pools }: Cluster): Readonly<Record<string, string>> {
  return Object.fromEntries(pools.map(({ metadata, spec }) => [metadata.name, spec.configuration?.name ?? ""]));
}
