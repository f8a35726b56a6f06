// Runs the shipped kubectl plugin in a pipe or in a terminal of util-linux's `script`.

import { type ChildProcess, spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { inRepository } from "@virt/testkit";

export type PluginRun = { readonly code: number | null; readonly out: string; readonly err: string };

export type PluginOptions = {
  readonly kubeconfig: string;
  readonly env?: Readonly<Record<string, string>>;
};

const plugin = inRepository("dist", "kubectl-virt_advisor");

function start(command: string, args: readonly string[], { kubeconfig, env = {} }: PluginOptions): ChildProcess {
  const path = `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`;
  return spawn(command, [...args], {
    env: { PATH: path, HOME: tmpdir(), KUBECONFIG: kubeconfig, TERM: "xterm", ...env },
  });
}

export const oldestNode = inRepository("tools", "oldest-node", "node_modules", ".bin");

export async function runPlugin(args: readonly string[], options: PluginOptions): Promise<PluginRun> {
  const child = start(plugin, args, options);
  child.stdin?.end();
  return finished(child);
}

export type FollowedPlugin = {
  readonly out: () => string;
  readonly err: () => string;
  readonly interrupt: () => void;
  readonly ended: Promise<PluginRun>;
};

export function followPlugin(args: readonly string[], options: PluginOptions): FollowedPlugin {
  const child = start(plugin, args, options);
  const said = listen(child);
  return { ...said, interrupt: () => void child.kill("SIGINT"), ended: endOf(child, said) };
}

/** Runs in a terminal with this many columns. `typed` answers the prompt. */
export function runAtTerminal(
  args: readonly string[],
  { columns = 100, typed = "", ...options }: PluginOptions & { readonly columns?: number; readonly typed?: string },
): FollowedPlugin {
  const quoted = [plugin, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const child = start("script", ["-qec", `stty cols ${columns} rows 40; exec ${quoted}`, "/dev/null"], options);
  const said = listen(child);
  let isTyped = typed === "";
  child.stdout?.on("data", () => {
    if (isTyped || !said.out().includes("Type yes to confirm:")) return;
    isTyped = true;
    child.stdin?.write(`${typed}\r`);
  });
  return { ...said, interrupt: () => void child.stdin?.write("\u0003"), ended: endOf(child, said) };
}

function listen(child: ChildProcess) {
  const said = { out: "", err: "" };
  child.stdout?.on("data", (text: Buffer) => void (said.out += text.toString()));
  child.stderr?.on("data", (text: Buffer) => void (said.err += text.toString()));
  return { out: () => said.out, err: () => said.err };
}

function finished(child: ChildProcess): Promise<PluginRun> {
  return endOf(child, listen(child));
}

function endOf(child: ChildProcess, said: ReturnType<typeof listen>): Promise<PluginRun> {
  return new Promise((resolve) => {
    child.once("close", (code) => resolve({ code, out: said.out(), err: said.err() }));
  });
}
