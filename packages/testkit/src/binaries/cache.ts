// Where built or downloaded control planes are kept between runs, one folder for each set of pins and Go version.

import { createHash } from "node:crypto";
import { accessSync, constants, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { moduleFolder, programs } from "./pins.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder of all control planes that fit the pins in go.mod and go.sum on this platform. */
export function shelf(env: Environment): string {
  const content = createHash("sha256");
  for (const file of ["go.mod", "go.sum"]) content.update(readFileSync(join(moduleFolder, file)));
  const pins = content.digest("hex").slice(0, 16);
  return join(cacheRoot(env), `${pins}-${process.platform}-${process.arch}`);
}

function cacheRoot(env: Environment): string {
  const caches = env["XDG_CACHE_HOME"] || join(env["HOME"] || homedir(), ".cache");
  return join(caches, "virt-operators", "controlplane");
}

/** Without Go nobody can say which build is the right one, so any build of the pinned sources will do. */
export function lookup(shelfFolder: string, goVersion: string | undefined): string | undefined {
  const wanted = goVersion === undefined ? entries(shelfFolder) : [goVersion, "published"];
  return wanted.map((name) => join(shelfFolder, name)).find((folder) => missingPrograms(folder).length === 0);
}

export function missingPrograms(folder: string): readonly string[] {
  return programs.filter((program) => !isExecutable(join(folder, program)));
}

function entries(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => !name.startsWith("."));
  } catch {
    return []; // nothing was ever kept here
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
