// The copier, a small controller on our runtime, as a process that tests can ask what it holds.

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { inRepository, type Server } from "@virt/testkit";
import { expect, onTestFinished } from "vitest";

export type CopierMessage = { readonly event: string; readonly [key: string]: unknown };

export type CopierUsage = {
  readonly heap: number;
  /** Sockets, timers and what else Node keeps open, by sort. */
  readonly resources: Readonly<Record<string, number>>;
  /** The state of each watch, by its kind. */
  readonly watches: Readonly<Record<string, string>>;
};

export type Copier = {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly said: readonly CopierMessage[];
  /** What it holds at the moment; its heap means something only after a collection. */
  readonly ask: (first?: "collect") => Promise<CopierUsage>;
};

export function startCopier(api: Server, env: Readonly<Record<string, string>> = {}): Copier {
  const script = inRepository("test", "fixtures", "copier.ts");
  const child = spawn(process.execPath, ["--expose-gc", script], {
    env: { ...process.env, KUBECONFIG: api.kubeconfig, ...env },
  });
  if (child.pid === undefined) throw new Error("the copier did not start");
  const said: CopierMessage[] = [];
  const asked: ((holding: CopierUsage) => void)[] = [];
  createInterface(child.stdout).on("line", (line) => {
    const one = JSON.parse(line) as CopierMessage;
    if (one.event === "holding") asked.shift()?.(one as unknown as CopierUsage);
    else said.push(one);
  });
  child.stderr.on("data", (words: Buffer) => said.push({ event: "stderr", words: words.toString() }));
  onTestFinished(() => void child.kill("SIGKILL"));
  const ask = (first = "") =>
    new Promise<CopierUsage>((resolve) => {
      asked.push(resolve);
      child.stdin.write(`${first}\n`);
    });
  return { child, pid: child.pid, said, ask };
}

/** Faults of ours: a healthy one has none. */
export function complaints({ said }: Copier): readonly CopierMessage[] {
  return said.filter(({ event }) => event === "bug" || event === "stderr");
}

export async function untilWatch({ ask }: Copier, kind: string, state: "synced" | "not served"): Promise<void> {
  await expect.poll(async () => (await ask()).watches[kind], { interval: 20 }).toBe(state);
}
