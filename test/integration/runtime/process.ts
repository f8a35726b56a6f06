// Runs the copier, a small controller on our runtime, and reads its resource usage.

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { inRepository, type Server } from "@virt/testkit";
import { expect, onTestFinished } from "vitest";

export type CopierMessage = { readonly event: string; readonly [key: string]: unknown };

export type CopierUsage = {
  readonly heap: number;
  readonly resources: Readonly<Record<string, number>>;
  readonly watches: Readonly<Record<string, string>>;
};

export type Copier = {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly said: readonly CopierMessage[];
  /** Returns the current usage. The heap is meaningful only after a collection. */
  readonly ask: (first?: "collect") => Promise<CopierUsage>;
};

export function startCopier(api: Server, env: Readonly<Record<string, string>> = {}): Copier {
  const script = inRepository("test", "support", "preloads", "copier.ts");
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

export function complaints({ said }: Copier): readonly CopierMessage[] {
  return said.filter(({ event }) => event === "bug" || event === "stderr");
}

export async function untilWatch({ ask }: Copier, kind: string, state: "synced" | "not served"): Promise<void> {
  await expect.poll(async () => (await ask()).watches[kind], { interval: 20 }).toBe(state);
}
