// Starts a measured program as a child process and sends commands to it.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { nodeEnvironment, nodeFlags } from "../../tools/bundling.ts";
import type { Command } from "../programs/protocol.ts";
import { type ProgramName, programPath } from "./programs.ts";

export type Child = {
  readonly pid: number;
  readonly ask: <Answer>(command: Command) => Promise<Answer>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

export type Spawned = {
  readonly process: ChildProcess;
  readonly pid: number;
  readonly stop: () => Promise<void>;
  readonly end: () => Promise<void>;
};

/** Runs a Node program. The child exits when this process exits for any reason. */
export function spawnNode(path: string, args: readonly string[], env: Readonly<Record<string, string>>): Spawned {
  const child = spawn(process.execPath, [...nodeFlags, path, ...args], {
    env: { PATH: process.env["PATH"], ...nodeEnvironment, ...env },
  });
  if (child.pid === undefined) throw new Error(`${path} did not start`);
  const kill = () => void child.kill("SIGKILL");
  process.once("exit", kill);
  const ended = once(child, "exit");
  const end = async () => {
    process.off("exit", kill);
    if (child.exitCode === null && child.signalCode === null) kill();
    await ended;
  };
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  return { process: child, pid: child.pid, stop, end };
}

export function startChild(
  program: ProgramName,
  env: { readonly KUBECONFIG: string; readonly NAMESPACE?: string },
): Child {
  const spawned = spawnNode(programPath(program), [], env);
  const { stdin, stdout, stderr } = spawned.process;
  if (stdin === null || stdout === null || stderr === null) throw new Error(`${program} has no pipes`);
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let words = "";
  let asked = 0;
  createInterface(stdout).on("line", (line) => {
    const { id, ...answer } = JSON.parse(line) as { readonly id: number };
    waiting.get(id)?.resolve(answer);
    waiting.delete(id);
  });
  stderr.on("data", (more: Buffer) => {
    words += more.toString();
  });
  spawned.process.once("close", () => {
    for (const { reject } of waiting.values()) reject(new Error(`${program} ended: ${words}`));
  });
  return {
    pid: spawned.pid,
    ask: async <Answer>(command: Command) => {
      const answer = Promise.withResolvers<unknown>();
      waiting.set(++asked, answer);
      stdin.write(`${JSON.stringify({ id: asked, ...command })}\n`);
      return (await answer.promise) as Answer;
    },
    [Symbol.asyncDispose]: spawned.end,
  };
}
