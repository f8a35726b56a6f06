// The pinned programs of a control plane and the folders that cache them.

import { createHash } from "node:crypto";
import { accessSync, constants, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { inRepository } from "../repository.ts";

export const binaryNames = ["kube-apiserver", "etcd", "kubectl"] as const;
/** Cached separately, because few tests need it and its build takes as long as all the others together. */
export const controllerManagerName = "kube-controller-manager";

export type BinaryName = (typeof binaryNames)[number] | typeof controllerManagerName;

export const moduleFolder = inRepository("tools", "controlplane");

export type PinnedVersions = { readonly kubernetes: string; readonly etcd: string };

export function readPinnedVersions(goMod = readFileSync(`${moduleFolder}/go.mod`, "utf8")): PinnedVersions {
  return {
    kubernetes: pinnedVersion(goMod, "k8s.io/kubernetes"),
    etcd: pinnedVersion(goMod, "go.etcd.io/etcd/server/v3"),
  };
}

function pinnedVersion(goMod: string, module: string): string {
  const line = goMod.split("\n").find((text) => text.trim().startsWith(`${module} v`));
  const found = line?.trim().split(" ")[1];
  if (found === undefined) throw new Error(`tools/controlplane/go.mod does not require ${module}`);
  return found.slice(1);
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the folder of all builds that match go.mod and go.sum on this platform. */
export function cacheFolder(env: Environment, kind: "controlplane" | "controller-manager" = "controlplane"): string {
  const content = createHash("sha256");
  for (const file of ["go.mod", "go.sum"]) content.update(readFileSync(join(moduleFolder, file)));
  const pins = content.digest("hex").slice(0, 16);
  return join(cacheRoot(env), kind, `${pins}-${process.platform}-${process.arch}`);
}

function cacheRoot(env: Environment): string {
  const caches = env["XDG_CACHE_HOME"] || join(env["HOME"] || homedir(), ".cache");
  return join(caches, "virt-operators");
}

/** Accepts any cached build if there is no Go version. */
export function findCached(
  cacheDir: string,
  goVersion: string | undefined,
  names: readonly BinaryName[] = binaryNames,
): string | undefined {
  const wanted = goVersion === undefined ? listFolder(cacheDir) : [goVersion, "published"];
  return wanted.map((name) => join(cacheDir, name)).find((folder) => missingPrograms(folder, names).length === 0);
}

export function missingPrograms(folder: string, names: readonly BinaryName[] = binaryNames): readonly string[] {
  return names.filter((program) => !isExecutable(join(folder, program)));
}

function listFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => !name.startsWith("."));
  } catch {
    return [];
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
