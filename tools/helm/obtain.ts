// Obtains the pinned helm from the cache or builds it from its Go module.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { inRepository } from "@virt/testkit";
import { buildGoPrograms } from "../go-build.ts";

const moduleFolder = inRepository("tools", "helm");

type Environment = Readonly<Record<string, string | undefined>>;

export function findHelm(env: Environment): string | undefined {
  const file = helmFile(env);
  return existsSync(file) ? file : undefined;
}

/** Returns the path of helm. The error of a failure includes a fix. */
export async function obtainHelm(env: NodeJS.ProcessEnv, report: (progress: string) => void): Promise<string> {
  const file = helmFile(env);
  if (existsSync(file)) return file;
  mkdirSync(dirname(dirname(file)), { recursive: true });
  const workshop = mkdtempSync(join(dirname(dirname(file)), ".building-"));
  try {
    const failed = await buildGoPrograms({ moduleFolder, packages: "tool", output: workshop, env, report });
    if (failed !== undefined) throw new Error(missing(failed));
    // A rename is atomic, so no other process sees a partial build. Another process may have finished first.
    if (!existsSync(file)) renameSync(workshop, dirname(file));
    return file;
  } finally {
    rmSync(workshop, { recursive: true, force: true });
  }
}

function helmFile(env: Environment): string {
  const pins = createHash("sha256");
  for (const file of ["go.mod", "go.sum"]) pins.update(readFileSync(join(moduleFolder, file)));
  const caches = env["XDG_CACHE_HOME"] || join(env["HOME"] || homedir(), ".cache");
  const shelf = `${pins.digest("hex").slice(0, 16)}-${process.platform}-${process.arch}`;
  return join(caches, "virt-operators", "helm", shelf, "helm");
}

function missing(why: string): string {
  return [
    `cannot build helm: ${why}`,
    "Install Go 1.26 or later (https://go.dev/dl) and be online once, then run the same command again:",
    "it is built here in about three minutes, then cached",
  ].join("\n");
}
