// Builds the pinned control plane from Go modules.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { missingPrograms } from "./cache.ts";
import { moduleFolder, type Pins } from "./pins.ts";

/** Undefined where there is no Go. */
export async function goVersion(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const lines: string[] = [];
  const code = await go(["env", "GOVERSION"], env, { out: (line) => lines.push(line) });
  return code === 0 ? lines[0] : undefined;
}

export type Build = {
  readonly pins: Pins;
  readonly shelf: string;
  readonly goVersion: string;
  readonly env: NodeJS.ProcessEnv;
  readonly report: (progress: string) => void;
};

export type Built = { readonly folder: string } | { readonly failed: string };

/** Builds beside the final place and moves the result there in one step, so that nobody ever finds half a build. */
export async function buildWithGo({ pins, shelf, goVersion: version, env, report }: Build): Promise<Built> {
  const total = await countPackages(env, report);
  mkdirSync(shelf, { recursive: true });
  const workshop = mkdtempSync(join(shelf, ".building-"));
  try {
    const failed = await compile({ pins, workshop, total, env, report });
    if (failed !== undefined) return { failed };
    renameSync(join(workshop, "server"), join(workshop, "etcd")); // the Go tool names a program after its folder
    const folder = join(shelf, version);
    if (missingPrograms(folder).length > 0) {
      rmSync(folder, { recursive: true, force: true });
      renameSync(workshop, folder);
    }
    return { folder };
  } finally {
    rmSync(workshop, { recursive: true, force: true });
  }
}

async function countPackages(env: NodeJS.ProcessEnv, report: Build["report"]): Promise<number> {
  let packages = 0;
  let modules = 0;
  await go(["list", "-deps", "tool"], env, {
    out: () => packages++,
    err: (line) => line.startsWith("go: downloading") && report(`${++modules} modules downloaded`),
  });
  return packages;
}

type Compilation = Pick<Build, "pins" | "env" | "report"> & { readonly workshop: string; readonly total: number };

async function compile({ pins, workshop, total, env, report }: Compilation): Promise<string | undefined> {
  const last: string[] = [];
  let done = 0;
  const err = (line: string) => {
    if (/^[\w.-]+(\/[\w.~-]+)*$/.test(line)) report(`${++done} of at most ${total} packages`);
    else last.push(line);
  };
  const args = ["build", "-v", "-trimpath", "-o", `${workshop}/`, "-ldflags", linkerFlags(pins), "tool"];
  const code = await go(args, { ...env, CGO_ENABLED: "0" }, { err });
  return code === 0
    ? undefined
    : last
        .filter((line) => !line.startsWith("go: downloading"))
        .slice(-5)
        .join("\n");
}

// Without these the programs call themselves v0.0.0-master+$Format:%H$.
function linkerFlags({ kubernetes }: Pins): string {
  const [major, minor] = kubernetes.split(".");
  const server = "k8s.io/component-base/version";
  const values = {
    [`${server}.gitVersion`]: `v${kubernetes}`,
    [`${server}.gitMajor`]: major,
    [`${server}.gitMinor`]: minor,
    [`${server}.gitTreeState`]: "clean",
    "k8s.io/client-go/pkg/version.gitVersion": `v${kubernetes}`,
  };
  return ["-s -w", ...Object.entries(values).map(([variable, value]) => `-X ${variable}=${value}`)].join(" ");
}

type Listeners = { readonly out?: (line: string) => void; readonly err?: (line: string) => void };

function go(args: readonly string[], env: NodeJS.ProcessEnv, { out, err }: Listeners): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn("go", args, { cwd: moduleFolder, env, stdio: ["ignore", "pipe", "pipe"] });
    createInterface(child.stdout).on("line", (line) => out?.(line));
    createInterface(child.stderr).on("line", (line) => err?.(line));
    child.on("error", () => resolve(127)); // no such program
    child.on("close", (code) => resolve(code ?? 1));
  });
}
