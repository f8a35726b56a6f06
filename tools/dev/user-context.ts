// Adds the development context to the user's kubeconfig, so that plain kubectl reaches that cluster.

import { randomUUID } from "node:crypto";
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { findAccess, kubeconfigPaths } from "@virt/kube";
import { load } from "js-yaml";
import { addDevContext, type DevEntries, devContext, removeDevContext } from "./kubeconfig-text.ts";
import type { UserContext } from "./record.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Adds the context and makes it the current one. After an error, the file is unchanged. */
export function enterContext(
  kubeconfig: string,
  env: Environment,
): { readonly context: UserContext; readonly previous: string } {
  const file = writableFile(kubeconfigPaths(env));
  const before = existsSync(file) ? readFileSync(file, "utf8") : "";
  const result = readingOf(file, () => addDevContext(before, entriesOf(kubeconfig)));
  if (result.kind === "refused") throw new Error(`cannot add context ${devContext} to ${file}: ${result.why}`);
  const previous = result.previous || currentContext(env);
  replaceFile(file, before, result.text);
  const { server } = findAccess({ env: {}, kubeconfig });
  return { context: { file, server }, previous: previous === devContext ? "" : previous };
}

/** Removes the context if it still belongs to this cluster. Returns the current context afterwards. */
export function leaveContext({ file, server }: UserContext): string | undefined {
  if (!existsSync(file)) return undefined;
  const before = readFileSync(file, "utf8");
  const result = readingOf(file, () => removeDevContext(before, server));
  if (result.kind === "absent") return undefined;
  replaceFile(file, before, result.text);
  return result.current;
}

/** Chooses the file like kubectl: the first one that exists, otherwise the last. */
function writableFile(paths: readonly string[]): string {
  const file = paths.find((path) => existsSync(path)) ?? paths.at(-1);
  if (file === undefined) throw new Error("no kubeconfig to write to: HOME and KUBECONFIG are not set");
  return resolve(file);
}

function currentContext(env: Environment): string {
  try {
    return findAccess({ env, isPersonal: true }).context ?? "";
  } catch {
    return "";
  }
}

type Kubeconfig = {
  readonly "current-context": string;
  readonly clusters: readonly { readonly name: string; readonly cluster: DevEntries["cluster"] }[];
  readonly users: readonly { readonly name: string; readonly user: DevEntries["user"] }[];
  readonly contexts: readonly { readonly name: string; readonly context: { cluster: string; user: string } }[];
};

/** Assumes embedded certificates, as in our own and in Kind's kubeconfigs. */
function entriesOf(kubeconfig: string): DevEntries {
  const config = load(readFileSync(kubeconfig, "utf8")) as Kubeconfig;
  const named = <T extends { readonly name: string }>(all: readonly T[], name = "") =>
    all.find((one) => one.name === name);
  const context = named(config.contexts, config["current-context"])?.context;
  const cluster = named(config.clusters, context?.cluster)?.cluster;
  const user = named(config.users, context?.user)?.user;
  if (cluster === undefined || user === undefined)
    throw new Error(`${kubeconfig} does not contain a cluster and a user`);
  return { cluster, user };
}

function readingOf<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const [why] = String(error instanceof Error ? error.message : error).split("\n");
    throw new Error(`cannot edit ${file}: ${why}`, { cause: error });
  }
}

/** Replaces the file atomically under kubectl's own lock, and keeps its permissions. Follows symbolic links. */
function replaceFile(file: string, before: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const lock = `${file}.lock`;
  const target = existsSync(file) ? realpathSync(file) : file;
  try {
    closeSync(openSync(lock, "wx", 0o600));
  } catch (error) {
    throw new Error(`cannot edit ${file}: ${lock} exists. If no kubectl is running, remove it.`, { cause: error });
  }
  const draft = `${target}.${randomUUID()}`;
  try {
    const now = existsSync(target) ? readFileSync(target, "utf8") : "";
    if (now !== before) throw new Error(`${file} was changed by another program; run the command again`);
    const written = openSync(draft, "wx", 0o600);
    writeFileSync(written, text);
    fsyncSync(written);
    closeSync(written);
    if (existsSync(target)) chmodSync(draft, statSync(target).mode & 0o777);
    renameSync(draft, target);
  } finally {
    rmSync(draft, { force: true });
    rmSync(lock, { force: true });
  }
}
