import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { inRepository } from "@virt/testkit";

export type LogLine = { readonly level?: string; readonly msg?: string; readonly [key: string]: unknown };

export type RunningProgram = {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly log: readonly LogLine[];
  /** Output outside the log. Empty unless the program failed to start. */
  readonly words: () => string;
  readonly exited: Promise<number | null>;
  readonly kill: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

/** `nodeFlags` are flags of Node. `release` is the built source tree. Default: this one. */
export function startProgram(
  name: string,
  flags: readonly string[],
  nodeFlags: readonly string[] = [],
  release = inRepository(),
): RunningProgram {
  const file = join(release, "dist", `${name}.mjs`);
  if (!existsSync(file)) throw new Error(`there is no dist/${name}.mjs: run make build`);
  const child = spawn(process.execPath, [...nodeFlags, file, ...flags], {
    env: { PATH: process.env["PATH"], HOME: tmpdir(), NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] },
  });
  if (child.pid === undefined) throw new Error(`${name} did not start`);
  const log: LogLine[] = [];
  let complaints = "";
  createInterface(child.stdout).on("line", (line) => log.push(lineOf(line)));
  child.stderr.on("data", (words: Buffer) => {
    complaints += words.toString();
  });
  // Waits for `close` instead of `exit`, after which output can still arrive.
  const exited = new Promise<number | null>((resolve) => void child.once("close", resolve));
  const kill = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  return { child, pid: child.pid, log, words: () => complaints, exited, kill, [Symbol.asyncDispose]: kill };
}

function lineOf(text: string): LogLine {
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return { msg: text };
  }
}
