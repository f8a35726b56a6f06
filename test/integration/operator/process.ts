import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { createInterface } from "node:readline";
import { freePorts, inRepository } from "@virt/testkit";
import { onTestFinished } from "vitest";

const program = inRepository("dist", "virt-operator.mjs");

export type OperatorLogLine = { readonly level?: string; readonly msg?: string; readonly [key: string]: unknown };

export type Operator = {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly log: readonly OperatorLogLine[];
  /** Output outside the log. Empty unless the program failed to start. */
  readonly words: () => string;
  /** Returns the status of a probe, or 0 if the port is closed. */
  readonly probe: (path: string) => Promise<number>;
  readonly probed: (path: string) => Promise<string>;
};

export async function startOperator(...flags: readonly string[]): Promise<Operator> {
  if (!existsSync(program)) throw new Error("there is no dist/virt-operator.mjs: run make build");
  const [probes = 0, metrics = 0] = await freePorts(2);
  const addresses = [`--health-probe-bind-address=127.0.0.1:${probes}`, `--metrics-bind-address=127.0.0.1:${metrics}`];
  const child = spawn(process.execPath, [program, ...addresses, ...flags], {
    env: { PATH: process.env["PATH"], HOME: tmpdir() },
  });
  if (child.pid === undefined) throw new Error("the operator did not start");
  onTestFinished(() => void child.kill("SIGKILL"));
  const log: OperatorLogLine[] = [];
  let complaints = "";
  createInterface(child.stdout).on("line", (line) => log.push(JSON.parse(line) as OperatorLogLine));
  child.stderr.on("data", (words: Buffer) => {
    complaints += words.toString();
  });
  const ask = (path: string) => fetch(`http://127.0.0.1:${probes}${path}`);
  const probed = async (path: string) => (await ask(path)).text();
  const probe = async (path: string) => {
    try {
      return (await ask(path)).status;
    } catch {
      return 0;
    }
  };
  return { child, pid: child.pid, log, words: () => complaints, probe, probed };
}

export function alarms({ log }: Operator): readonly OperatorLogLine[] {
  return log.filter(({ level }) => level === "warn" || level === "error");
}
