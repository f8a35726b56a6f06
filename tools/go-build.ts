// Builds the programs of a Go module of ours into a folder, and reports how far it is.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

export type GoBuild = {
  readonly moduleFolder: string;
  /** What to build, as `go build` takes it: `tool`, `./...`. */
  readonly packages: string;
  readonly output: string;
  readonly env: NodeJS.ProcessEnv;
  readonly report: (progress: string) => void;
};

/** What Go said, if it failed. */
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
