// Runs a pod's container with runc from the image of `make image`, and probes it like a kubelet.

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { freePorts } from "@virt/testkit";
import { obtainProgram } from "../../tools/test-tools/obtain.ts";
import { runc } from "../../tools/test-tools/pins.ts";
import type { Pod, Probe } from "./pod.ts";
import type { LogLine } from "./program.ts";
import { type RuntimeSpecOptions, runtimeSpec } from "./runtime-spec.ts";

export type RunningContainer = {
  readonly pod: Pod;
  readonly log: readonly LogLine[];
  /** Output outside the log. Empty unless the program failed to start. */
  readonly words: () => string;
  readonly exited: Promise<number | null>;
  /** Returns the HTTP status, or undefined if there is no answer within the probe's timeout. */
  readonly askProbe: (kind: "liveness" | "readiness") => Promise<number | undefined>;
  readonly hostPort: (containerPort: number) => number;
  readonly processStatus: (key: string) => string | undefined;
  readonly signal: (name: "TERM" | "KILL") => void;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

export type ContainerRunOptions = Omit<RuntimeSpecOptions, "hostPort"> & { readonly folder: string };

export async function runContainer({ folder, ...options }: ContainerRunOptions): Promise<RunningContainer> {
  const { pod } = options;
  const [container] = pod.spec.containers;
  const hostPort = await choosePorts(container.args);
  const bundle = join(folder, "bundle");
  mkdirSync(bundle, { recursive: true });
  writeFileSync(join(bundle, "config.json"), JSON.stringify(runtimeSpec({ ...options, hostPort })));
  const program = obtainProgram(runc);
  const { name } = pod.metadata;
  const state = ["--root", join(folder, "state")];
  const child = spawn(program, [...state, "run", "--bundle", bundle, name], { stdio: ["ignore", "pipe", "pipe"] });
  const log: LogLine[] = [];
  let complaints = "";
  createInterface(child.stdout).on("line", (line) => log.push(JSON.parse(line) as LogLine));
  child.stderr.on("data", (words: Buffer) => {
    complaints += words.toString();
  });
  const exited = new Promise<number | null>((resolve) => void child.once("exit", resolve));
  const call = (...args: readonly string[]) => spawnSync(program, [...state, ...args], { encoding: "utf8" });
  const processId = () => (JSON.parse(call("state", name).stdout) as { readonly pid: number }).pid;
  return {
    pod,
    log,
    words: () => complaints,
    exited,
    hostPort,
    askProbe: (kind) =>
      askProbe(kind === "liveness" ? container.livenessProbe : container.readinessProbe, (port) =>
        hostPort(container.ports.find((one) => one.name === port)?.containerPort ?? 0),
      ),
    processStatus: (key) =>
      new RegExp(`^${key}:\\s+(\\S+)`, "m").exec(readFileSync(`/proc/${processId()}/status`, "utf8"))?.[1],
    signal: (signal) => void call("kill", name, signal),
    [Symbol.asyncDispose]: async () => {
      call("delete", "--force", name);
      await exited;
    },
  };
}

/** Maps each port in the flags to a free port of this machine. */
async function choosePorts(args: readonly string[]): Promise<(containerPort: number) => number> {
  const named = args.flatMap((flag) => /:(\d+)$/.exec(flag)?.[1] ?? []).map(Number);
  const free = await freePorts(named.length);
  const chosen = new Map(named.map((port, at) => [port, free[at] ?? 0]));
  return (containerPort) => {
    const port = chosen.get(containerPort);
    if (port === undefined) throw new Error(`no flag of the container names the port ${containerPort}`);
    return port;
  };
}

async function askProbe({ httpGet, timeoutSeconds }: Probe, portOf: (name: string) => number) {
  const url = `${httpGet.scheme.toLowerCase()}://127.0.0.1:${portOf(httpGet.port)}${httpGet.path}`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(timeoutSeconds * 1000) }).catch(() => undefined);
  return answer?.status;
}
