// Runs the real helm on the committed chart.

import { spawnSync } from "node:child_process";
import type { KubeObject } from "@virt/objects";
import { inRepository, type KubectlResult } from "@virt/testkit";
import { loadAll } from "js-yaml";
import { findHelm } from "../../../../tools/helm/obtain.ts";
import { anyImage } from "../../../../tools/package/manifests.ts";

export const chart = inRepository("dist", "chart");

/** Values are in the form "replicas=1". Adds the required image unless `values` set it. */
export function setting(values: readonly string[]): readonly string[] {
  const image = values.some((value) => value.startsWith("image=")) ? [] : [`image="${anyImage}"`];
  return [...image, ...values].flatMap((value) => ["--set-json", value]);
}

export function helm(args: readonly string[], env: NodeJS.ProcessEnv = {}): KubectlResult {
  const file = findHelm(process.env);
  if (file === undefined) throw new Error("no helm on this machine yet: run `make helm` once");
  const { status, stdout, stderr } = spawnSync(file, args, {
    env: { ...process.env, ...env },
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  return { code: status ?? 1, stdout, stderr };
}

export function rendered(...values: readonly string[]): readonly KubeObject[] {
  const { code, stdout, stderr } = helm(["template", "any", chart, ...setting(values)]);
  if (code !== 0) throw new Error(stderr);
  return loadAll(stdout) as unknown as readonly KubeObject[];
}
