// Builds the programs of one of our Go modules and reports progress.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

export type GoBuild = {
  readonly moduleFolder: string;
  readonly packages: string;
  readonly output: string;
  readonly env: NodeJS.ProcessEnv;
  readonly report: (progress: string) => void;
};

/** Returns Go's output if the build failed. */
export function buildGoPrograms({ moduleFolder, packages, output, env, report }: GoBuild): Promise<string | undefined> {
  const words: string[] = [];
  let compiled = 0;
  const args = ["build", "-v", "-trimpath", "-ldflags", "-s -w", "-o", `${output}/`, packages];
  const child = spawn("go", args, {
    cwd: moduleFolder,
    env: { ...env, CGO_ENABLED: "0" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  createInterface(child.stderr).on("line", (line) => {
    if (/^[\w.-]+(\/[\w.~-]+)*$/.test(line)) report(`${++compiled} packages compiled`);
    else words.push(line);
  });
  return new Promise((resolve) => {
    child.on("error", () => resolve("there is no go command"));
    child.on("close", (code) => resolve(code === 0 ? undefined : words.slice(-5).join("\n")));
  });
}
