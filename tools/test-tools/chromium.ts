// Obtains Chromium for browser tests: Debian's package and missing libraries, unpacked into the cache without root.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

/** Start `file` with `env`, which points to its libraries. */
export type Chromium = { readonly file: string; readonly env: Readonly<Record<string, string>> };

const debianPackage = "chromium-headless-shell";
const program = join("usr", "lib", "chromium", "chromium-headless-shell");

/** Uses the cache, or downloads with the machine's apt-get. The error of a failure lists the attempts. */
export function obtainChromium(env: NodeJS.ProcessEnv = process.env): Chromium {
  const caches = env["XDG_CACHE_HOME"] || join(env["HOME"] || homedir(), ".cache");
  const cache = join(caches, "virt-operators", "chromium");
  const root = join(cache, `debian-${process.platform}-${process.arch}`);
  if (!existsSync(join(root, program))) unpackInto(cache, root);
  const libraries = findLibraries(join(root, "usr", "lib"));
  return { file: join(root, program), env: { LD_LIBRARY_PATH: libraries.join(delimiter) } };
}

function unpackInto(cache: string, root: string): void {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, ".making-"));
  try {
    const failed = download(folder) ?? unpack(folder);
    if (failed !== undefined)
      throw new Error(
        `cannot get Chromium: ${failed}\nBe online once on Debian or Ubuntu, and run the same command again: it is cached.`,
      );
    rmSync(root, { recursive: true, force: true });
    renameSync(join(folder, "root"), root); // a rename is atomic: no other process sees a partial download
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Uses its own package lists, because those of the machine may be old or absent. Downloads only packages that are not
 * installed.
 */
function download(folder: string): string | undefined {
  for (const name of ["state/lists/partial", "cache/archives/partial"])
    mkdirSync(join(folder, name), { recursive: true });
  const settings = [
    `Dir::State=${folder}/state`,
    `Dir::Cache=${folder}/cache`,
    "Dir::State::status=/var/lib/dpkg/status",
    "Debug::NoLocking=1",
    "Acquire::Languages=none",
    "APT::Sandbox::User=root",
    "APT::Install-Recommends=0",
  ].flatMap((setting) => ["-o", setting]);
  return (
    run("apt-get", ["-q", ...settings, "update"], folder) ??
    run("apt-get", ["-q", "-y", ...settings, "--download-only", "install", debianPackage], folder)
  );
}

function unpack(folder: string): string | undefined {
  const archives = join(folder, "cache", "archives");
  const names = readdirSync(archives).filter((name) => name.endsWith(".deb"));
  for (const name of names) {
    const failed = run("dpkg", ["-x", join(archives, name), "root"], folder);
    if (failed !== undefined) return failed;
  }
  return existsSync(join(folder, "root", program)) ? undefined : `${debianPackage} has no ${program}`;
}

function findLibraries(lib: string): readonly string[] {
  const folders = readdirSync(lib, { withFileTypes: true, recursive: true }).filter((entry) => entry.isDirectory());
  return [lib, ...folders.map((entry) => join(entry.parentPath, entry.name))].filter((folder) =>
    readdirSync(folder).some((name) => name.includes(".so")),
  );
}

function run(command: string, args: readonly string[], cwd: string): string | undefined {
  const { status, error, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (error !== undefined) return `there is no ${command} command`;
  return status === 0 ? undefined : stderr.trim().split("\n").slice(-2).join("; ");
}
