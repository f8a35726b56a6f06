// A shipped program as a process: what it says, and how it ends.

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { createInterface } from "node:readline";
import { inRepository } from "@virt/testkit";

export type Line = { readonly level?: string; readonly msg?: string; readonly [key: string]: unknown };

export type RunningProgram = {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly log: readonly Line[];
  /** What it said outside its log: nothing, unless it could not start. */
  readonly words: () => string;
  readonly exited: Promise<number | null>;
  readonly kill: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

export function startProgram(name: string, flags: readonly string[]): RunningProgram {
  const file = inRepository("dist", `${name}.mjs`);
  if (!existsSync(file)) throw new Error(`there is no dist/${name}.mjs: run make build`);
  const child = spawn(process.execPath, [file, ...flags], { env: { PATH: process.env["PATH"], HOME: tmpdir() } });
  if (child.pid === undefined) throw new Error(`${name} did not start`);
  const log: Line[] = [];
  let complaints = "";
  createInterface(child.stdout).on("line", (line) => log.push(lineOf(line)));
  child.stderr.on("data", (words: Buffer) => {
    complaints += words.toString();
  });
  const exited = new Promise<number | null>((resolve) => void child.once("exit", resolve));
  const kill = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  return { child, pid: child.pid, log, words: () => complaints, exited, kill, [Symbol.asyncDispose]: kill };
}

function lineOf(text: string): Line {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return { msg: text }; // a program that speaks to people
  }
}
