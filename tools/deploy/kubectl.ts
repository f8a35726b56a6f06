// Runs kubectl for the make targets. Errors include kubectl's message.

import { spawnSync } from "node:child_process";
import { delimiter } from "node:path";

export type Cluster = {
  readonly ask: (...args: readonly string[]) => string;
  readonly show: (args: readonly string[], input?: string) => void;
};

/** `binaries` is a folder with a kubectl, for users who have none. */
export type Access = { readonly kubeconfig?: string; readonly binaries?: string };

export function openCluster({ kubeconfig, binaries = "" }: Access = {}): Cluster {
  const { PATH = "" } = process.env;
  const env = { ...process.env, PATH: `${PATH}${delimiter}${binaries}`, ...(kubeconfig && { KUBECONFIG: kubeconfig }) };
  const run = (args: readonly string[], input: string, isShown: boolean) => {
    const { error, status, stdout, stderr } = spawnSync("kubectl", args, {
      env,
      input,
      stdio: ["pipe", isShown ? "inherit" : "pipe", "pipe"],
      encoding: "utf8",
      maxBuffer: 2 ** 28,
    });
    if (error !== undefined) throw new Error(describeError(error), { cause: error });
    if (status !== 0) throw new Error(`kubectl ${args[0]} failed: ${withoutLog(stderr)}`);
    process.stderr.write(stderr);
    return stdout;
  };
  return {
    ask: (...args) => run(args, "", false),
    show: (args, input = "") => void run(args, input, true),
  };
}

/** Removes kubectl's log lines, which repeat each attempt before the message. */
function withoutLog(words: string): string {
  return words.trimEnd().replaceAll(/^[EWI]\d{4} .*\n/gm, "");
}

export const kubectlMissing =
  "kubectl is not installed. Install it, or use the one from the build: export PATH=$(make controlplane 2>/dev/null | tail -n 1):$PATH";

function describeError(error: NodeJS.ErrnoException): string {
  return error.code === "ENOENT" ? kubectlMissing : error.message;
}
