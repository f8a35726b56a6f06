// Stores which cluster `make dev-setup` or `make kind-setup` left running, for other targets.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { findAccess } from "@virt/kube";

export type UserContext = { readonly file: string; readonly server: string };

export type DevCluster = {
  readonly keepers: readonly number[];
  readonly kubeconfig: string;
  /** The context virt-dev in the user's kubeconfig. Absent with --no-context. */
  readonly context?: UserContext;
  /** The folder of kubectl. Empty if the user's own kubectl is used. */
  readonly binaries: string;
  readonly kind?: { readonly name: string; readonly engine: string };
  /** The operator processes on a simulated cluster, and the folder of their logs. */
  readonly operators?: { readonly keeper: number; readonly folder: string };
};

/** Set DEV_FOLDER to run a second cluster. */
export const place = process.env["DEV_FOLDER"] ?? ".dev";
const file = `${place}/cluster.json`;

export function record(cluster: DevCluster): void {
  mkdirSync(place, { recursive: true });
  writeFileSync(file, `${JSON.stringify(cluster, null, 2)}\n`);
}

export function recorded(): DevCluster | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as DevCluster) : undefined;
}

export function recordedServer(): { readonly kubeconfig: string; readonly server: string } | undefined {
  const kubeconfig = recorded()?.kubeconfig;
  if (kubeconfig === undefined || !existsSync(kubeconfig)) return undefined;
  return { kubeconfig, server: findAccess({ env: {}, kubeconfig }).server };
}

export function forget(): void {
  rmSync(place, { recursive: true, force: true });
}

/** Stops the keepers that still run, with their programs. */
export async function endKeepers(keepers: readonly number[]): Promise<void> {
  for (const keeper of keepers.filter(isKeeper)) process.kill(keeper, "SIGTERM");
  while (keepers.some(isKeeper)) await wait(50);
}

/** Checks the command line, because another program may have the process ID by now. */
export function isKeeper(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("/testkit/src/server/keeper.ts");
  } catch {
    return false;
  }
}
