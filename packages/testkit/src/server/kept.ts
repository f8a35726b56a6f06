// The owner's side of a keeper: starts it, hears from it, ends it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { makeFolder } from "./folder.ts";
import type { Message, Program, Task } from "./keeper.ts";

export type Kept = {
  readonly keeper: number;
  /** Their logs are here, until they end. */
  readonly folder: string;
  /** The programs, in the order of their start. */
  readonly pids: readonly number[];
  /** Settles when one of the programs ends without having been told to, with the reason. */
  readonly failure: Promise<string>;
  /** Ends the programs and removes their folder. */
  readonly end: () => Promise<void>;
};

/** Runs programs until their owner ends them or dies. Their logs are files named after them. */
export function keepPrograms(programs: readonly Program[], outlivesOwner: boolean): Promise<Kept> {
  return keep((keeper) => ({ folder: makeFolder(keeper), programs }), outlivesOwner);
}

/** The task is made when the keeper's process id is known, so that the folder can carry it in its name. */
export async function keep(
  makeTask: (keeper: number) => Omit<Task, "outlivesOwner">,
  outlivesOwner: boolean,
): Promise<Kept> {
  leaveWithRunner();
  const script = fileURLToPath(new URL("./keeper.ts", import.meta.url));
  // A process group of its own: a signal to the owner's whole group must not hit keeper and programs at once.
  // Whoever reads our words until their end must not wait for a keeper that stays.
  const stdio = ["pipe", "pipe", outlivesOwner ? "ignore" : "inherit"] as const;
  const keeper = spawn(process.execPath, [script], { stdio: [...stdio], detached: true });
  keeper.stdin.on("error", () => undefined); // a keeper that is gone tells it by its exit
  const gone = once(keeper, "exit");
  const started = Promise.withResolvers<readonly number[]>();
  const failure = Promise.withResolvers<string>();
  createInterface(keeper.stdout).on("line", (line) => {
    const message = JSON.parse(line) as Message;
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
function leaveWithRunner(): void {
  if (process.connected && !process.listeners("disconnect").includes(leave)) process.once("disconnect", leave);
}

function leave(): void {
  process.exit(1);
}
