// Builds the previous release from this repository's history and caches it by commit.

import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { inRepository } from "@virt/testkit";

/**
 * The last commit before sealed plans, separate rollout records and the governance record: the oldest statuses,
 * annotations and leases that the present release must take over.
 */
const previousCommit = "cd3042e60fe58c4d46dd42bb2e739351b4da5b56";

/** Distinguishes the releases, because package.json has the same version in both trees. */
export const previousVersion = "0.0.9";

/** Returns the folder with its `config` and `dist`. The error of a failed build includes a fix. */
export function obtainPreviousRelease(env: NodeJS.ProcessEnv = process.env): string {
  const caches = env["XDG_CACHE_HOME"] || join(env["HOME"] || homedir(), ".cache");
  const folder = join(caches, "virt-operators", "releases", `${previousCommit.slice(0, 12)}-v${previousVersion}`);
  if (existsSync(folder)) return folder;
  mkdirSync(dirname(folder), { recursive: true });
  const building = mkdtempSync(join(dirname(folder), ".building-"));
  try {
    extractCommit(building, env);
    writeVersion(building);
    linkModules(building);
    run(process.execPath, [join("tools", "build.ts")], { cwd: building, env });
    install(building, folder);
    return folder;
  } finally {
    rmSync(building, { recursive: true, force: true });
  }
}

function extractCommit(folder: string, env: NodeJS.ProcessEnv): void {
  const place = { cwd: inRepository(), env };
  const { status } = spawnSync("git", ["cat-file", "-e", `${previousCommit}^{commit}`], place);
  if (status !== 0) throw new Error(missingCommit);
  const archive = join(folder, "tree.tar");
  run("git", ["archive", `--output=${archive}`, previousCommit], place);
  run("tar", ["-x", "-f", archive, "-C", folder]);
}

const missingCommit = [
  `the history of this repository does not reach the previous release, commit ${previousCommit.slice(0, 12)}.`,
  "Tests of upgrade and downgrade build it. Fetch it, then run the same command again:",
  "  git fetch --unshallow",
].join("\n");

function writeVersion(folder: string): void {
  const file = join(folder, "package.json");
  const content = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  writeFileSync(file, JSON.stringify({ ...content, version: previousVersion }));
}

function linkModules(folder: string): void {
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@virt"), { recursive: true });
  const installed = readdirSync(inRepository("node_modules")).filter(
    (name) => !name.startsWith(".") && name !== "@virt",
  );
  for (const name of installed) symlinkSync(inRepository("node_modules", name), join(modules, name));
  const packages = readdirSync(join(folder, "packages")).map((name) => ({ name, path: join("packages", name) }));
  for (const { name, path } of [...packages, { name: "catalog", path: "catalog" }])
    symlinkSync(join(folder, path), join(modules, "@virt", name));
}

/** A rename is atomic: no other process sees a partial build. Another process can have finished first. */
function install(building: string, folder: string): void {
  const release = join(building, ".release");
  mkdirSync(release);
  for (const part of ["config", "dist"]) renameSync(join(building, part), join(release, part));
  try {
    renameSync(release, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}

function run(command: string, args: readonly string[], place: { cwd?: string; env?: NodeJS.ProcessEnv } = {}): void {
  const { status, error, stderr } = spawnSync(command, args, { ...place, encoding: "utf8" });
  if (status === 0) return;
  const why = error?.message ?? stderr.trim().split("\n").slice(-5).join("\n");
  throw new Error(`cannot build the previous release: ${command} ${args.join(" ")} failed: ${why}`);
}
