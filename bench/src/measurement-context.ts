import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { inRepository, type Server } from "@virt/testkit";
import type { MeasurementContext } from "./results.ts";
import type { Size } from "./scenario.ts";

export async function readMeasurementContext(
  api: Server,
  { seed, size }: { seed: number; size: Size },
): Promise<MeasurementContext> {
  const { body } = await api.request({ path: "/version" });
  const etcd = execFileSync(join(api.binaries, "etcd"), ["--version"], { encoding: "utf8" });
  const { dependencies } = JSON.parse(readFileSync(inRepository("bench", "client-node", "package.json"), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  return {
    time: new Date().toISOString(),
    commit: commit(),
    versions: {
      node: process.version,
      "kube-apiserver": (body as { readonly gitVersion: string }).gitVersion,
      etcd: /etcd Version: (\S+)/.exec(etcd)?.[1] ?? "unknown",
      ...dependencies,
    },
    cores: availableParallelism(),
    load: loadavg()[0] ?? 0,
    seed,
    size,
  };
}

/** Returns the commit hash, followed by a plus sign if the work tree has uncommitted changes. */
function commit(): string {
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: inRepository(), encoding: "utf8" }).trim();
  try {
    return `${git("rev-parse", "--short", "HEAD")}${git("status", "--porcelain") === "" ? "" : "+"}`;
  } catch {
    return "unknown";
  }
}
