// Downloads the Debian packages of the image for all platforms, with the machine's apt-get and its sources.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { architectures } from "../platforms.ts";

export type DebianPackage = {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
  readonly file: string;
  readonly sha256: string;
  /** The control fields, as printed by `dpkg --field`. */
  readonly control: string;
};

/** For each platform: the C library, the C++ runtime, os-release, and the licenses that other packages refer to. */
const perPlatform = ["libc6", "libgcc-s1", "libstdc++6", "base-files"] as const;
const forAll = ["ca-certificates", "tzdata"] as const;

const refreshAfterMs = 24 * 60 * 60 * 1000;

export type FoundPackages = {
  readonly packages: readonly DebianPackage[];
  /** Set if the packages come from an earlier download: the reason why a new one was not possible. */
  readonly stale?: string;
};

/** Reuses packages for a day, because apt-get takes half a minute. Security updates arrive the next day. */
export function obtainDebianPackages(cache: string, now: number): FoundPackages {
  const kept = join(cache, "debian");
  if (existsSync(kept) && now - statSync(kept).mtimeMs < refreshAfterMs) return { packages: readPackages(kept) };
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, ".fetching-"));
  try {
    const failed = downloadPackages(folder);
    if (failed === undefined) {
      rmSync(kept, { recursive: true, force: true });
      renameSync(join(folder, "packages"), kept); // a rename is atomic: no other process sees a partial download
      return { packages: readPackages(kept) };
    }
    if (existsSync(kept)) return { packages: readPackages(kept), stale: failed };
    throw new Error(
      [
        `cannot get the packages of the image: ${failed}`,
        "Run make image on Debian or Ubuntu and be online once: the packages are cached.",
        "With a container engine, make docker-build builds an image on UBI instead.",
      ].join("\n"),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Uses its own package lists, because those of the machine may be old and lack other architectures. Returns undefined,
 * or an error.
 */
function downloadPackages(folder: string): string | undefined {
  for (const name of ["state/lists/partial", "cache/archives/partial", "packages"])
    mkdirSync(join(folder, name), { recursive: true });
  const settings = [
    `Dir::State=${folder}/state`,
    `Dir::Cache=${folder}/cache`,
    "Dir::State::status=/dev/null",
    `APT::Architectures=${architectures.join(",")}`,
    "Acquire::Languages=none",
    "APT::Sandbox::User=root",
  ].flatMap((setting) => ["-o", setting]);
  const download = (names: readonly string[]) =>
    run("apt-get", ["-q", ...settings, "download", ...names], join(folder, "packages"));
  const named = (name: string) => architectures.map((architecture) => `${name}:${architecture}`);
  return (
    run("apt-get", ["-q", ...settings, "update"], folder) ??
    download([...perPlatform.flatMap(named), ...forAll]) ??
    // The version of gcc-<n>-base depends on the distribution's compiler. It has the license of both libraries.
    download(named(baseOfLibraries(join(folder, "packages"))))
  );
}

function baseOfLibraries(folder: string): string {
  const library = readPackages(folder).find(({ name }) => name === "libgcc-s1");
  const [base] = /gcc-\d+-base/.exec(library?.control ?? "") ?? [];
  if (base === undefined) throw new Error("libgcc-s1 does not say which package has its licence");
  return base;
}

function readPackages(folder: string): readonly DebianPackage[] {
  const archives = readdirSync(folder).filter((name) => name.endsWith(".deb"));
  return archives.toSorted().map((name) => readPackage(join(folder, name)));
}

function readPackage(file: string): DebianPackage {
  const { stdout: control, status } = spawnSync("dpkg", ["--field", file], { encoding: "utf8" });
  if (status !== 0) throw new Error(`dpkg cannot read ${basename(file)}`);
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(control)?.[1] ?? "";
  return {
    name: field("Package"),
    version: field("Version"),
    architecture: field("Architecture"),
    file,
    sha256: createHash("sha256").update(readFileSync(file)).digest("hex"),
    control,
  };
}

function run(command: string, args: readonly string[], cwd: string): string | undefined {
  const { status, error, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (error !== undefined) return `there is no ${command} command`;
  return status === 0 ? undefined : stderr.trim().split("\n").slice(-2).join("; ");
}
