// Runs programs, and ends them when the owner's pipe closes. The kernel closes it regardless of how the owner ends.

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, openSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";

/** The task of a keeper. It ends programs in reverse order, because an API server without etcd hangs. */
export type KeeperTask = {
  readonly folder: string;
  readonly programs: readonly ProcessSpec[];
  /** True if the programs end only when the keeper is terminated. */
  readonly outlivesOwner: boolean;
};

/** Output goes to `<name>.log` in the keeper's folder. */
export type ProcessSpec = {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** A file in the folder. The program and those after it start when the owner has written it. */
  readonly startsAfter?: string;
};

export type KeeperMessage =
  | { readonly event: "started"; readonly pids: readonly number[] }
  | { readonly event: "exited"; readonly program: string; readonly how: string };

type RunningProcess = ProcessSpec & { readonly child: ChildProcess; readonly gone: Promise<void> };

function startProcess(program: ProcessSpec, folder: string): RunningProcess {
  const log = openSync(join(folder, `${program.name}.log`), "a");
  const [command = program.command, ...args] = [...killWithParent(), program.command, ...program.args];
  const child = spawn(command, args, { stdio: ["ignore", log, log], cwd: folder });
  closeSync(log);
  const gone = new Promise<void>((resolve) => {
    const leave = (how: string) => {
      sendMessage({ event: "exited", program: program.name, how });
      resolve();
    };
    child.once("error", (error) => leave(error.message));
    child.once("exit", (code, signal) => leave(signal ?? `exit code ${code}`));
  });
  return { ...program, child, gone };
}

// Ends programs even if the keeper is killed with SIGKILL, for which the pipe is not sufficient.
function killWithParent(): readonly string[] {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const isThere = process.platform === "linux" && folders.some((folder) => existsSync(join(folder, "setpriv")));
  return isThere ? ["setpriv", "--pdeathsig", "KILL", "--"] : [];
}

function sendMessage(message: KeeperMessage): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

// SIGKILL is fast and cannot hang. A clean shutdown is not needed, because the folder is deleted.
async function endProcesses(running: readonly RunningProcess[], folder: string): Promise<void> {
  for (const { child, gone } of running.toReversed()) {
    child.kill("SIGKILL");
    await gone;
  }
  rmSync(folder, { recursive: true, force: true });
}

/** Stops when the owner or a running program ends. */
async function startProcesses({ programs, folder }: KeeperTask, closed: Promise<void>): Promise<RunningProcess[]> {
  const running: RunningProcess[] = [];
  for (const program of programs) {
    const isGone = Promise.race([closed, ...running.map(({ gone }) => gone)]).then(() => true);
    if (program.startsAfter !== undefined && !(await isWritten(join(folder, program.startsAfter), isGone))) break;
    running.push(startProcess(program, folder));
  }
  return running;
}

async function isWritten(file: string, isGone: Promise<boolean>): Promise<boolean> {
  while (!existsSync(file)) if (await Promise.race([isGone, wait(10, false)])) return false;
  return true;
}

async function runKeeper(): Promise<void> {
  const input = createInterface(process.stdin);
  const closed = new Promise<void>((resolve) => input.once("close", resolve));
  const first = await Promise.race([new Promise<string>((resolve) => input.once("line", resolve)), closed]);
  if (first === undefined) return;
  const task = JSON.parse(first) as KeeperTask;
  const running = await startProcesses(task, closed);
  sendMessage({ event: "started", pids: running.flatMap(({ child }) => (child.pid === undefined ? [] : [child.pid])) });
  await (task.outlivesOwner ? terminated : closed);
  await endProcesses(running, task.folder);
}

// Ignores Ctrl-C, which all processes in the terminal receive, because the owner decides when the keeper ends.
for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);
const terminated = new Promise<void>((resolve) => process.on("SIGTERM", () => resolve()));
process.stdout.on("error", () => undefined);
await runKeeper();
