// Keeps one control plane: starts its programs for an owner, and ends them when the owner closes the pipe, which the
// kernel does for every process that dies, however it dies. Run as a process of its own.

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, openSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";

/** In the order of their start. They are ended the other way round: an API server without its etcd hangs. */
export type Task = {
  readonly folder: string;
  readonly programs: readonly Program[];
  /** It does not end with its owner but when it is terminated: for a cluster that a person leaves running. */
  readonly outlivesOwner: boolean;
};

export type Program = { readonly name: string; readonly command: string; readonly args: readonly string[] };

export type Message =
  | { readonly event: "started"; readonly pids: readonly number[] }
  | { readonly event: "exited"; readonly program: string; readonly how: string };

type Running = Program & { readonly child: ChildProcess; readonly gone: Promise<void> };

function start(program: Program, folder: string): Running {
  const log = openSync(join(folder, `${program.name}.log`), "a");
  const [command = program.command, ...args] = [...dyingWithUs(), program.command, ...program.args];
  const child = spawn(command, args, { stdio: ["ignore", log, log], cwd: folder });
  closeSync(log);
  const gone = new Promise<void>((resolve) => {
    const leave = (how: string) => {
      tell({ event: "exited", program: program.name, how });
      resolve();
    };
    child.once("error", (error) => leave(error.message));
    child.once("exit", (code, signal) => leave(signal ?? `exit code ${code}`));
  });
  return { ...program, child, gone };
}

// Covers the one death that a pipe to the owner does not: our own, by SIGKILL.
function dyingWithUs(): readonly string[] {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const isThere = process.platform === "linux" && folders.some((folder) => existsSync(join(folder, "setpriv")));
  return isThere ? ["setpriv", "--pdeathsig", "KILL", "--"] : [];
}

function tell(message: Message): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

// Nothing here outlives the folder, so there is nothing to finish in good order: SIGKILL is quick and cannot hang.
async function end(running: readonly Running[], folder: string): Promise<void> {
  for (const { child, gone } of running.toReversed()) {
    child.kill("SIGKILL");
    await gone;
  }
  rmSync(folder, { recursive: true, force: true });
}

async function keep(): Promise<void> {
  const input = createInterface(process.stdin);
  const closed = new Promise<void>((resolve) => input.once("close", resolve));
  const first = await Promise.race([new Promise<string>((resolve) => input.once("line", resolve)), closed]);
  if (first === undefined) return;
  const task = JSON.parse(first) as Task;
  const running = task.programs.map((program) => start(program, task.folder));
  tell({ event: "started", pids: running.flatMap(({ child }) => (child.pid === undefined ? [] : [child.pid])) });
  await (task.outlivesOwner ? terminated : closed);
  await end(running, task.folder);
}

// Ctrl-C reaches the whole terminal; the owner decides when this ends, by closing the pipe. Nobody may read our words by then.
for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);
const terminated = new Promise<void>((resolve) => process.on("SIGTERM", () => resolve()));
process.stdout.on("error", () => undefined);
await keep();
