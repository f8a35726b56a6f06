// Obtains the GitOps test clients from the cache or builds them. They are Go programs that use the libraries of Flux
// and Argo CD.

import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { inRepository } from "@virt/testkit";
import { buildGoPrograms } from "../go-build.ts";

const moduleFolder = inRepository("tools", "gitops-clients");

export type GitOpsClients = { readonly flux: string; readonly argocd: string };

export function findGitOpsClients(env: NodeJS.ProcessEnv = process.env): GitOpsClients {
  const folder = cacheFolder(env);
  if (!existsSync(folder)) throw new Error("no GitOps clients on this machine yet: run `make gitops-clients` once");
  return { flux: join(folder, "flux-client"), argocd: join(folder, "argocd-client") };
}

/** Returns the folder of the clients. The error of a failure includes a fix. */
export async function obtainGitOpsClients(env: NodeJS.ProcessEnv, report: (progress: string) => void): Promise<string> {
  const folder = cacheFolder(env);
  if (existsSync(folder)) return folder;
  mkdirSync(dirname(folder), { recursive: true });
  const staging = mkdtempSync(join(dirname(folder), ".building-"));
  try {
    const failed = await buildGoPrograms({ moduleFolder, packages: "./...", output: staging, env, report });
    if (failed !== undefined) throw new Error(describeFailure(failed));
    // A rename is atomic, so no other process sees a partial build. Another process may have finished first.
    if (!existsSync(folder)) renameSync(staging, folder);
    return folder;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

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
