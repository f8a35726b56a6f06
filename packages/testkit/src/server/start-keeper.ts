import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { KeeperMessage, KeeperTask, ProcessSpec } from "./keeper.ts";

/** Running programs and the process that ends them with their owner. `keeper` is its process ID. */
export type KeptProcesses = {
  readonly keeper: number;
  /** Contains the logs. Deleted when the programs end. */
  readonly folder: string;
  readonly pids: readonly number[];
  /** Resolves with the reason when a program ends unexpectedly. */
  readonly failure: Promise<string>;
  readonly end: () => Promise<void>;
};

/** Starts programs and a keeper that ends them together, with their owner unless `outlivesOwner` is set. */
export function startKeptProcesses(programs: readonly ProcessSpec[], outlivesOwner: boolean): Promise<KeptProcesses> {
  return startKeeper((keeper) => ({ folder: makeControlPlaneFolder(keeper), programs }), outlivesOwner);
}

/** Calls `makeTask` after the keeper has started, because the folder name contains its process ID. */
export async function startKeeper(
  makeTask: (keeper: number) => Omit<KeeperTask, "outlivesOwner">,
  outlivesOwner: boolean,
): Promise<KeptProcesses> {
  exitWithRunner();
  const script = fileURLToPath(new URL("./keeper.ts", import.meta.url));
  // The keeper is in its own process group, so that it does not receive signals to the owner's group. If it outlives
  // its owner, it must not keep stderr open.
  const stdio = ["pipe", "pipe", outlivesOwner ? "ignore" : "inherit"] as const;
  const keeper = spawn(process.execPath, [script], { stdio: [...stdio], detached: true });
  keeper.stdin.on("error", () => undefined); // the exit event reports this
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
  keeper.unref(); // the owner may exit without calling `end`
  const { pid } = keeper;
  const end = async () => {
    keeper.ref();
    if (outlivesOwner) process.kill(pid, "SIGTERM");
    keeper.stdin.end();
    await gone;
  };
  return { keeper: keeper.pid, folder: task.folder, pids, failure: failure.promise, end };
}

// After its test runner is killed, a worker would run forever unless it exits here.
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
    return false;
  }
}

// Removes folders that killed keepers left behind.
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
    return error instanceof Error && "code" in error && error.code === "EPERM"; // another user's process is alive
  }
}
