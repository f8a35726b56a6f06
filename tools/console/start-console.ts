import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { inRepository } from "@virt/testkit";

export type RunningConsole = {
  /** Includes the one-time token. */
  readonly url: string;
  readonly origin: string;
  readonly words: () => string;
  readonly pid: number;
  readonly end: (signal?: "SIGINT" | "SIGKILL") => Promise<number | null>;
};

export async function startConsole(kubeconfig: string, port = 0, ...flags: readonly string[]): Promise<RunningConsole> {
  const args = [
    inRepository("dist", "kubectl-virt_advisor"),
    "console",
    `--kubeconfig=${kubeconfig}`,
    `--port=${port}`,
    ...flags,
  ];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const exited = new Promise<number | null>((resolve) => void child.once("exit", resolve));
  let words = "";
  child.stderr.on("data", (piece: Buffer) => {
    words += piece.toString();
  });
  const printed = new Promise<string>((resolve) => {
    createInterface(child.stdout).on("line", (line) => {
      const [, url] = /^Console: (\S+)$/.exec(line) ?? [];
      if (url !== undefined) resolve(url);
    });
  });
  const url = await Promise.race([
    printed,
    exited.then(() => Promise.reject(new Error(`the console ended: ${words}`))),
  ]);
  return {
    url,
    origin: new URL(url).origin,
    words: () => words,
    pid: child.pid ?? 0,
    end: (signal = "SIGINT") => {
      child.kill(signal);
      return exited;
    },
  };
}
