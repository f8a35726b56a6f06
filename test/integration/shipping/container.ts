// Runs the shipped program under its container's constraints: another user, no writable files, no home, little memory.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { freePorts, inRepository } from "@virt/testkit";
import { nodeEnvironment, nodeFlags } from "../../../tools/bundling.ts";
import type { LogLine } from "../../support/program.ts";

export type Container = {
  readonly log: readonly LogLine[];
  readonly ports: { readonly probes: number; readonly metrics: number };
  readonly peakBytes: () => number;
  readonly userId: () => number;
  readonly stop: () => Promise<number | null>;
};

export type ContainerOptions = {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly kubeconfig: string;
  readonly memoryBytes: number;
};

/** A user ID that OpenShift would choose. Only root can use it. */
const someone = { uid: 1_000_660_000, gid: 0 };
const isRoot = process.getuid?.() === 0;

export async function startContainer({ args, env, kubeconfig, memoryBytes }: ContainerOptions): Promise<Container> {
  const root = readOnlyTree(kubeconfig);
  const [probes = 0, metrics = 0, debug = 0] = await freePorts(3);
  // Overrides: the last of two equal flags counts. Uses the test's own ports, because all containers share this
  // machine.
  const instead = [
    `--kubeconfig=${root}/kubeconfig`,
    `--metrics-cert-path=${root}/metrics-tls`,
    `--health-probe-bind-address=127.0.0.1:${probes}`,
    `--metrics-bind-address=127.0.0.1:${metrics}`,
    ...(args.some((flag) => flag.startsWith("--debug")) ? [`--debug-bind-address=127.0.0.1:${debug}`] : []),
  ];
  // Node denies writes and child processes, as a read-only image without a shell would.
  const limits = ["--permission", "--allow-fs-read=*", `--max-old-space-size=${memoryBytes / 2 ** 21}`];
  const child = spawn(`${root}/node`, [...nodeFlags, ...limits, `${root}/virt-operator.mjs`, ...args, ...instead], {
    cwd: root,
    env: { ...nodeEnvironment, ...env },
    ...(isRoot && someone),
  });
  child.once("exit", () => {
    chmodSync(root, 0o755);
    rmSync(root, { recursive: true });
  });
  const log: LogLine[] = [];
  createInterface(child.stdout).on("line", (line) => log.push(JSON.parse(line) as LogLine));
  child.stderr.on("data", (words: Buffer) => log.push({ level: "error", msg: words.toString() }));
  return {
    log,
    ports: { probes, metrics },
    peakBytes: () => Number(statusOf(child, "VmHWM")) * 1024,
    userId: () => Number(statusOf(child, "Uid")),
    stop: () => stop(child),
  };
}

function readOnlyTree(kubeconfig: string): string {
  const root = mkdtempSync(join(tmpdir(), "container-"));
  const files = ["virt-operator.mjs", "virt-operator-bundle.mjs"];
  for (const file of files) cpSync(inRepository("dist", file), join(root, file));
  cpSync(process.execPath, join(root, "node")); // the container's user may not enter this repository
  cpSync(kubeconfig, join(root, "kubeconfig"));
  mkdirSync(join(root, "metrics-tls"));
  for (const file of [...files, "kubeconfig"]) chmodSync(join(root, file), 0o444);
  chmodSync(join(root, "node"), 0o555);
  chmodSync(root, 0o555);
  return root;
}

function statusOf({ pid }: ChildProcess, key: string): string | undefined {
  return new RegExp(`^${key}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
}

async function stop(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null) return child.exitCode;
  child.kill("SIGTERM");
  const [code] = (await once(child, "exit")) as [number | null];
  return code;
}
