// The owner's side of a keeper: starts it in a folder that is named after it, hears from it, ends it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { KeeperMessage, KeeperTask, ProcessSpec } from "./keeper.ts";

/** Processes that end with their owner, however it dies. */
export type KeptProcesses = {
  readonly keeper: number;
  /** Their logs are here, until they end. */
  readonly folder: string;
  /** The programs, in the order of their start. */
  readonly pids: readonly number[];
  /** Settles when one of the programs ends without having been asked to, with the reason. */
  readonly failure: Promise<string>;
  /** Ends the programs and removes their folder. */
  readonly end: () => Promise<void>;
};

/** Runs programs until their owner ends them or dies. Their logs are files named after them. */
export function startKeptProcesses(programs: readonly ProcessSpec[], outlivesOwner: boolean): Promise<KeptProcesses> {
  return startKeeper((keeper) => ({ folder: makeControlPlaneFolder(keeper), programs }), outlivesOwner);
}

/** The task is made when the keeper's process id is known, so that the folder can carry it in its name. */
export async function startKeeper(
  makeTask: (keeper: number) => Omit<KeeperTask, "outlivesOwner">,
  outlivesOwner: boolean,
): Promise<KeptProcesses> {
  exitWithRunner();
  const script = fileURLToPath(new URL("./keeper.ts", import.meta.url));
  // A process group of its own: a signal to the owner's whole group must not hit keeper and programs at once.
  // Whoever reads our output until its end must not wait for a keeper that stays.
  const stdio = ["pipe", "pipe", outlivesOwner ? "ignore" : "inherit"] as const;
  const keeper = spawn(process.execPath, [script], { stdio: [...stdio], detached: true });
  keeper.stdin.on("error", () => undefined); // a keeper that is gone is noticed by its exit
  const gone = once(keeper, "exit");
  const started = Promise.withResolvers<readonly number[]>();
  const failure = Promise.withResolvers<string>();
  createInterface(keeper.stdout).on("line", (line) => {
    const message = JSON.parse(line) as KeeperMessage;
    if (message.event === "started") started.resolve(message.pids);
    else failure.resolve(`${message.program} ended: ${message.how}`);
  });
  const lost = gone.then(() => failure.resolve("its keeper ended"));
  if (keeper.pid === undefined) throw new Error("the keeper of the control plane could not be started");
  const task = { ...makeTask(keeper.pid), outlivesOwner };
  keeper.stdin.write(`${JSON.stringify(task)}\n`);
  const pids = await Promise.race([started.promise, lost.then(() => [])]);
  keeper.unref(); // an owner that forgets to end it may leave all the same
  const { pid } = keeper;
  const end = async () => {
    keeper.ref();
    if (outlivesOwner) process.kill(pid, "SIGTERM");
    keeper.stdin.end();
    await gone;
  };
  return { keeper: keeper.pid, folder: task.folder, pids, failure: failure.promise, end };
}

// A worker of a test runner goes on for ever when its runner was killed, unless somebody ends it.
function exitWithRunner(): void {
  if (process.connected && !process.listeners("disconnect").includes(exitProcess))
    process.once("disconnect", exitProcess);
}

function exitProcess(): void {
  process.exit(1);
}

const prefix = "virt-controlplane-";
const roomInBytes = 1_000_000_000;

export function makeControlPlaneFolder(keeper: number, roots: readonly string[] = defaultRoots()): string {
  const root = roots.find(hasRoom) ?? tmpdir();
  removeOrphans(root);
  return mkdtempSync(join(root, `${prefix}${keeper}-`));
}

function defaultRoots(): readonly string[] {
  return ["/dev/shm", tmpdir()];
}

function hasRoom(root: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(root);
    return bavail * bsize > roomInBytes;
  } catch {
    return false; // no such file system here
  }
}

// Only a keeper that was killed leaves its folder behind.
function removeOrphans(root: string): void {
  for (const name of readdirSync(root)) {
    const keeper = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1];
    if (keeper !== undefined && !isAlive(Number(keeper))) rmSync(join(root, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"; // somebody else's process is alive too
  }
}
