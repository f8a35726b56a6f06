// Obtains a program for tests: from the cache, from Debian's package, or built from its Go module.

import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Program } from "./pins.ts";

type Tried = { readonly how: string; readonly why: string };

/** Returns the path of the program. The error of a failure lists the attempts. */
export function obtainProgram(program: Program, env: NodeJS.ProcessEnv = process.env): string {
  const cache = cacheFolder(program, env);
  const file = join(cache, program.name);
  if (existsSync(file)) return file;
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, ".making-"));
  try {
    const tried: Tried[] = [];
    for (const [how, make] of Object.entries(ways)) {
      const made = make(program, folder, env);
      if ("why" in made) tried.push({ how, why: made.why });
      else {
        renameSync(made.file, file); // a rename is atomic, so no other process sees a partial file
        return file;
      }
    }
    throw new Error(missing(program, tried));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function cacheFolder({ name, version }: Program, env: NodeJS.ProcessEnv): string {
  const caches = env["XDG_CACHE_HOME"] || join(env["HOME"] || homedir(), ".cache");
  return join(caches, "virt-operators", name, `${version}-${process.platform}-${process.arch}`);
}

type Made = { readonly file: string } | { readonly why: string };
type Way = (program: Program, folder: string, env: NodeJS.ProcessEnv) => Made;

const ways: Readonly<Record<string, Way>> = { "Debian package": unpack, "Go build": build };

function unpack({ debian }: Program, folder: string, env: NodeJS.ProcessEnv): Made {
  if (debian === undefined) return { why: "there is none" };
  const here = { cwd: folder, env };
  const failed = run("apt-get", ["download", debian.package], here) && fetchWithOwnLists(debian.package, here);
  if (failed) return { why: failed };
  const [archive = ""] = readdirSync(folder).filter((name) => name.endsWith(".deb"));
  const broken = run("dpkg", ["-x", archive, "unpacked"], here);
  if (broken) return { why: broken };
  const file = join(folder, "found");
  copyFileSync(join(folder, "unpacked", debian.file), file);
  return { file };
}

/** Downloads the package with separate package lists, because the machine may have none. Does not require root. */
function fetchWithOwnLists(name: string, here: Place): string | undefined {
  const folders = ["state/lists/partial", "cache/archives/partial"];
  for (const folder of folders) mkdirSync(join(here.cwd, folder), { recursive: true });
  const own = ["State=state", "Cache=cache"].map((one) => one.replace("=", `=${here.cwd}/`));
  const flags = [...own, "State::status=/var/lib/dpkg/status"].flatMap((one) => ["-o", `Dir::${one}`]);
  return run("apt-get", [...flags, "update"], here) ?? run("apt-get", [...flags, "download", name], here);
}

function build({ name, package: path, version }: Program, folder: string, env: NodeJS.ProcessEnv): Made {
  if (path === undefined) return { why: "it is not built here" };
  const here = { cwd: folder, env: { ...env, CGO_ENABLED: "0" } };
  const failed =
    run("go", ["mod", "init", "test-tools"], here) ??
    run("go", ["get", `${path}@${version}`], here) ??
    run("go", ["build", "-trimpath", "-ldflags", "-s -w", "-o", name, path], here);
  return failed === undefined ? { file: join(folder, name) } : { why: failed };
}

type Place = { readonly cwd: string; readonly env: NodeJS.ProcessEnv };

function run(command: string, args: readonly string[], place: Place): string | undefined {
  const { status, error, stderr } = spawnSync(command, args, { ...place, encoding: "utf8" });
  if (error !== undefined) return `there is no ${command} command`;
  return status === 0 ? undefined : stderr.trim().split("\n").slice(-2).join("; ");
}

function missing({ name }: Program, tried: readonly Tried[]): string {
  return [
    `cannot get ${name}. Tried:`,
    ...tried.map(({ how, why }) => `  - ${how}: ${why}`),
    "Be online once on Debian, or with Go 1.26 or later (https://go.dev/dl), and run the same command again: it is cached.",
  ].join("\n");
}
