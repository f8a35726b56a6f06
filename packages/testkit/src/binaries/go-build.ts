// Builds programs of the pinned control plane from Go modules.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type BinaryName, binaryNames, missingPrograms, moduleFolder, type PinnedVersions } from "./binary-cache.ts";

/** Returns undefined if Go is not installed. */
export async function goVersion(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const lines: string[] = [];
  const code = await runGo(["env", "GOVERSION"], env, { out: (line) => lines.push(line) });
  return code === 0 ? lines[0] : undefined;
}

const goPackages: Readonly<Record<BinaryName, string>> = {
  "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
  "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
  kubectl: "k8s.io/kubernetes/cmd/kubectl",
  etcd: "go.etcd.io/etcd/server/v3",
};

type GoBuildOptions = {
  readonly pins: PinnedVersions;
  readonly names?: readonly BinaryName[];
  readonly cacheDir: string;
  readonly goVersion: string;
  readonly env: NodeJS.ProcessEnv;
  readonly report: (progress: string) => void;
};

type GoBuildResult = { readonly folder: string } | { readonly failed: string };

/** Builds in a staging folder and moves the result in one step, so that no process sees a partial build. */
export async function buildWithGo({
  pins,
  names = binaryNames,
  cacheDir,
  goVersion: version,
  env,
  report,
}: GoBuildOptions): Promise<GoBuildResult> {
  const packages = names.map((name) => goPackages[name]);
  const total = await countPackages(packages, env, report);
  mkdirSync(cacheDir, { recursive: true });
  const staging = mkdtempSync(join(cacheDir, ".building-"));
  try {
    const failed = await compilePackages({ pins, packages, staging, total, env, report });
    if (failed !== undefined) return { failed };
    // Go names a program after its folder.
    if (names.includes("etcd")) renameSync(join(staging, "server"), join(staging, "etcd"));
    const folder = join(cacheDir, version);
    if (missingPrograms(folder, names).length > 0) {
      rmSync(folder, { recursive: true, force: true });
      renameSync(staging, folder);
    }
    return { folder };
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

async function countPackages(
  programs: readonly string[],
  env: NodeJS.ProcessEnv,
  report: GoBuildOptions["report"],
): Promise<number> {
  let packages = 0;
  let modules = 0;
  await runGo(["list", "-deps", ...programs], env, {
    out: () => packages++,
    err: (line) => line.startsWith("go: downloading") && report(`${++modules} modules downloaded`),
  });
  return packages;
}

type CompileOptions = Pick<GoBuildOptions, "pins" | "env" | "report"> & {
  readonly packages: readonly string[];
  readonly staging: string;
  readonly total: number;
};

async function compilePackages({
  pins,
  packages,
  staging,
  total,
  env,
  report,
}: CompileOptions): Promise<string | undefined> {
  const last: string[] = [];
  let done = 0;
  const err = (line: string) => {
    if (/^[\w.-]+(\/[\w.~-]+)*$/.test(line)) report(`${++done} of at most ${total} packages`);
    else last.push(line);
  };
  const args = ["build", "-v", "-trimpath", "-o", `${staging}/`, "-ldflags", linkerFlags(pins), ...packages];
  const code = await runGo(args, { ...env, CGO_ENABLED: "0" }, { err });
  return code === 0
    ? undefined
    : last
        .filter((line) => !line.startsWith("go: downloading"))
        .slice(-5)
        .join("\n");
}

// Without these flags, the programs report version v0.0.0-master+$Format:%H$.
function linkerFlags({ kubernetes }: PinnedVersions): string {
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

type LineListeners = { readonly out?: (line: string) => void; readonly err?: (line: string) => void };

function runGo(args: readonly string[], env: NodeJS.ProcessEnv, { out, err }: LineListeners): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn("go", args, { cwd: moduleFolder, env, stdio: ["ignore", "pipe", "pipe"] });
    createInterface(child.stdout).on("line", (line) => out?.(line));
    createInterface(child.stderr).on("line", (line) => err?.(line));
    child.on("error", () => resolve(127));
    child.on("close", (code) => resolve(code ?? 1));
  });
}
