// A terminal for printed commands: a shell in the repository with kubectl, `oc` and a cluster.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { inRepository, type KubectlResult } from "@virt/testkit";

export type Shell = {
  readonly run: (command: string) => Promise<KubectlResult>;
  /** Runs an endless command until its output matches. */
  readonly watch: (command: string, isAwaited: (printed: string) => boolean) => Promise<string>;
  readonly start: (command: string) => Background;
};

/** `pid` is also the process group. */
export type Background = {
  readonly pid: number;
  readonly isRunning: () => boolean;
  readonly stop: () => Promise<void>;
};

export type ShellOptions = {
  readonly folder: string;
  readonly binaries: string;
  readonly kubeconfig: string;
  readonly env?: NodeJS.ProcessEnv;
};

const hangsAfterMs = 120_000;

// Skips build and installation in printed make commands, because other tests use the same files.
const setup = `make() { command make -o build -o controlplane -o node_modules/.package-lock.json "$@"; }`;

export function shellHome(folder: string): string {
  return join(folder, "home");
}

export function openShell({ folder, binaries, kubeconfig, env = {} }: ShellOptions): Shell {
  const bin = join(folder, "shell");
  mkdirSync(bin);
  mkdirSync(shellHome(folder), { recursive: true });
  symlinkSync(join(binaries, "kubectl"), join(bin, "oc"));
  const { PATH = "", MAKEFLAGS: _flags, MAKELEVEL: _level, ...rest } = process.env;
  // Uses a separate home, so that no command reaches the kubeconfig of the user who runs the tests. Keeps the download
  // cache.
  const home = { HOME: shellHome(folder), XDG_CACHE_HOME: rest["XDG_CACHE_HOME"] || join(homedir(), ".cache") };
  const kube = { ...home, KUBECONFIG: kubeconfig, KUBECACHEDIR: join(folder, "kubectl-cache") };
  const all = { ...rest, ...kube, ...env, PATH: [bin, binaries, PATH].filter((one) => one !== "").join(delimiter) };
  const start = (command: string) =>
    // A separate process group, which can be killed as a whole.
    spawn("sh", ["-c", `${setup}\n${command}`], {
      cwd: inRepository(),
      env: all,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
  return {
    run: async (command) => {
      const child = start(command);
      const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exit(child)]);
      return { code, stdout, stderr };
    },
    watch: (command, isAwaited) => listen(start(command), command, isAwaited),
    start: (command) => {
      const child = start(command);
      child.stdout.resume();
      child.stderr.resume();
      if (child.pid === undefined) throw new Error(`\`${command}\` did not start`);
      return {
        pid: child.pid,
        isRunning: () => isRunning(child),
        stop: async () => {
          end(child);
          await exit(child);
        },
      };
    },
  };
}

type Child = ReturnType<typeof spawn>;

async function listen(child: Child, command: string, isAwaited: (printed: string) => boolean): Promise<string> {
  let printed = "";
  const seen = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
      if (isAwaited(printed)) seen.resolve();
    });
  }
  const fail = (why: string) => seen.reject(new Error(`\`${command}\` ${why}: ${printed}`));
  const hung = setTimeout(() => fail("printed only"), hangsAfterMs);
  void exit(child).then((code) => fail(`ended with ${code}`));
  try {
    await seen.promise;
    return printed;
  } finally {
    clearTimeout(hung);
    end(child);
  }
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

function end(child: ChildProcess): void {
  if (child.pid !== undefined && isRunning(child)) process.kill(-child.pid, "SIGTERM");
}

function exit(child: ChildProcess): Promise<number> {
  if (!isRunning(child)) return Promise.resolve(child.exitCode ?? 1);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 1));
  });
}
