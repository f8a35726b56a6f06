// Remembers the cluster that `make dev-setup` or `make kind-setup` left running, so that other targets find it.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { findAccess } from "@virt/kube";

/** The file that has it, and the server that it points at. */
export type UserContext = { readonly file: string; readonly server: string };

export type DevCluster = {
  readonly keepers: readonly number[];
  readonly kubeconfig: string;
  /** The context virt-dev in the user's kubeconfig; absent with --no-context. */
  readonly context?: UserContext;
  /** The folder of kubectl; empty where it is the user's own. */
  readonly binaries: string;
  /** Absent for a simulated cluster. */
  readonly kind?: { readonly name: string; readonly engine: string };
  /** What `make deploy-local` runs on a simulated cluster, which has no pods; their logs are in the folder. */
  readonly operators?: { readonly keeper: number; readonly folder: string };
};

/** A second cluster beside the usual one needs a place of its own. */
export const place = process.env["DEV_FOLDER"] ?? ".dev";
const file = `${place}/cluster.json`;

export function record(cluster: DevCluster): void {
  mkdirSync(place, { recursive: true });
  writeFileSync(file, `${JSON.stringify(cluster, null, 2)}\n`);
}

export function recorded(): DevCluster | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as DevCluster) : undefined;
}

/** Returns where the recorded cluster is. */
export function recordedServer(): { readonly kubeconfig: string; readonly server: string } | undefined {
  const kubeconfig = recorded()?.kubeconfig;
  if (kubeconfig === undefined || !existsSync(kubeconfig)) return undefined;
  return { kubeconfig, server: findAccess({ env: {}, kubeconfig }).server };
}

export function forget(): void {
  rmSync(place, { recursive: true, force: true });
}

/** Ends what a keeper keeps, where it still does. */
export async function endKeepers(keepers: readonly number[]): Promise<void> {
  for (const keeper of keepers.filter(isKeeper)) process.kill(keeper, "SIGTERM");
  while (keepers.some(isKeeper)) await wait(50); // polls for the state
}

/** A process id may belong to somebody else by now: only a keeper of ours is one. */
export function isKeeper(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("/testkit/src/server/keeper.ts");
  } catch {
    return false; // it is gone
  }
}
