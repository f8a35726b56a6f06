// Finds the GitOps clients of tests in the cache, or builds them there: they are Go programs around the libraries of Flux and Argo CD.

import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { inRepository } from "@virt/testkit";
import { buildGoPrograms } from "../go-build.ts";

const moduleFolder = inRepository("tools", "gitops-clients");

export type GitOpsClients = { readonly flux: string; readonly argocd: string };

/** Throws where they were never built. */
export function findGitOpsClients(env: NodeJS.ProcessEnv = process.env): GitOpsClients {
  const folder = cacheFolder(env);
  if (!existsSync(folder)) throw new Error("no GitOps clients on this machine yet: run `make gitops-clients` once");
  return { flux: join(folder, "flux-client"), argocd: join(folder, "argocd-client") };
}

/** The folder that holds them. Throws one message that says what failed and what a person can do. */
export async function obtainGitOpsClients(env: NodeJS.ProcessEnv, report: (progress: string) => void): Promise<string> {
  const folder = cacheFolder(env);
  if (existsSync(folder)) return folder;
  mkdirSync(dirname(folder), { recursive: true });
  const staging = mkdtempSync(join(dirname(folder), ".building-"));
  try {
    const failed = await buildGoPrograms({ moduleFolder, packages: "./...", output: staging, env, report });
    if (failed !== undefined) throw new Error(describeFailure(failed));
    // In one step, so that nobody ever finds half a build. Somebody else may have been first.
    if (!existsSync(folder)) renameSync(staging, folder);
    return folder;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Named after the sources and the versions of all modules. */
function cacheFolder(env: NodeJS.ProcessEnv): string {
  const content = createHash("sha256");
  const sources = globSync("**/*.go", { cwd: moduleFolder }).toSorted();
  for (const file of ["go.mod", "go.sum", ...sources]) content.update(readFileSync(join(moduleFolder, file)));
  const caches = env["XDG_CACHE_HOME"] || join(env["HOME"] || homedir(), ".cache");
  const name = `${content.digest("hex").slice(0, 16)}-${process.platform}-${process.arch}`;
  return join(caches, "virt-operators", "gitops-clients", name);
}

function describeFailure(why: string): string {
  return [
    `cannot build the GitOps clients: ${why}`,
    "Install Go 1.26 or later (https://go.dev/dl) and be online once, then run the same command again:",
    "they are built here in about four minutes, then cached",
  ].join("\n");
}
