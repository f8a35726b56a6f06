// Runs Flux and Argo CD with their own code and our health checks: they apply a folder as an account.

import { execFile } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { KubeObject } from "@virt/api";
import { type ApiUser, inRepository, type Server } from "@virt/testkit";
import { findGitOpsClients } from "../../tools/gitops-clients/obtain.ts";

export type AppliedState = {
  /** Objects that differed from the repository: before the apply for Flux, after it for Argo CD. */
  readonly differences: readonly string[];
  /** The tool's own health. Flux has one value for all objects. */
  readonly health: (name: string) => string | undefined;
};

export type GitOpsTool = {
  readonly apply: () => Promise<AppliedState>;
};

export type Repository = {
  readonly folder: string;
  readonly commit: (name: string, object: KubeObject) => void;
};

export function createRepository(server: Server): Repository {
  const folder = mkdtempSync(join(server.folder, "repository-"));
  return {
    folder,
    commit: (name, object) => writeFileSync(join(folder, `${name}.yaml`), JSON.stringify(object)),
  };
}

const run = promisify(execFile);

async function runClient<Report>(file: string, args: readonly string[]): Promise<Report> {
  const { stdout } = await run(file, [...args], { maxBuffer: 50_000_000 });
  return JSON.parse(stdout) as Report;
}

type FluxReport = {
  readonly changes: readonly { readonly subject: string; readonly action: string }[];
  readonly isReady: boolean;
  readonly message?: string;
};

export function fluxFor(account: ApiUser, { folder }: Repository): GitOpsTool {
  const args = [
    `--kubeconfig=${account.kubeconfig}`,
    `--manifests=${folder}`,
    `--health-checks=${inRepository("config", "gitops", "flux-health-check-exprs.yaml")}`,
  ];
  return {
    apply: async () => {
      const { changes, isReady, message = "" } = await runClient<FluxReport>(findGitOpsClients().flux, args);
      const changed = changes.filter(({ action }) => action !== "unchanged" && action !== "skipped");
      const health = isReady ? "current" : message.includes("'Failed'") ? "failed" : "in progress";
      return { differences: changed.map(({ subject }) => subject), health: () => health };
    },
  };
}

type ArgoCdReport = {
  readonly operation: { readonly phase: string; readonly message: string; readonly results: readonly string[] };
  readonly resources: readonly {
    readonly name: string;
    readonly health?: { readonly status: string };
    readonly sync: Readonly<Record<string, string>>;
  }[];
  readonly differences: readonly object[];
};

export type ArgoCdOptions = { readonly isServerSide: boolean };

export function argoCdFor(account: ApiUser, { folder }: Repository, { isServerSide }: ArgoCdOptions): GitOpsTool {
  const args = [
    `--kubeconfig=${account.kubeconfig}`,
    `--manifests=${folder}`,
    `--health-script=${inRepository("config", "gitops", "argocd-health.lua")}`,
    "--sync",
    ...(isServerSide ? ["--server-side"] : []),
  ];
  return {
    apply: async () => {
      const { operation, resources, differences } = await runClient<ArgoCdReport>(findGitOpsClients().argocd, args);
      if (operation.phase === "Failed" || operation.phase === "Error") throw new Error(JSON.stringify(operation));
      return {
        differences: differences.map((one) => JSON.stringify(one)),
        health: (name) => resources.find((one) => one.name === name)?.health?.status,
      };
    },
  };
}
