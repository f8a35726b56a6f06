// Remembers the cluster that `make dev-setup` left running, so that `make run` and `make kind-delete` find it.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";

export type DevCluster = {
  readonly keepers: readonly number[];
  readonly kubeconfig: string;
  /** The folder of kubectl. */
  readonly binaries: string;
};

/** A second cluster beside the usual one needs a place of its own. */
const place = process.env["DEV_FOLDER"] ?? ".dev";
const file = `${place}/cluster.json`;

export function record(cluster: DevCluster): void {
  mkdirSync(place, { recursive: true });
  writeFileSync(file, `${JSON.stringify(cluster, null, 2)}\n`);
}

export function recorded(): DevCluster | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as DevCluster) : undefined;
}

export function forget(): void {
  rmSync(place, { recursive: true, force: true });
}

/** A process id may belong to somebody else by now: only a keeper of ours is one. */
export function isKeeper(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("/testkit/src/server/keeper.ts");
  } catch {
    return false; // it is gone
  }
}
