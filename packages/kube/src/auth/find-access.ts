// Finds the cluster to connect to and the credentials for it.

import { existsSync, readFileSync } from "node:fs";
import { isIPv6 } from "node:net";
import { delimiter, join } from "node:path";
import { type Access, AccessError, NoClusterError } from "./access.ts";
import { accessFromKubeconfig, type KubeconfigFile } from "./kubeconfig.ts";

export type AccessSources = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly kubeconfig?: string;
  readonly context?: string;
  /** True to try ~/.kube/config before the pod, as kubectl does. */
  readonly isPersonal?: boolean;
  /** Defaults to the standard mount path of a ServiceAccount. */
  readonly podFolder?: string;
};

const usualPodFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * Tries the named kubeconfig, KUBECONFIG, the pod, and ~/.kube/config, in this order. Throws an AccessError with a
 * single-line message. Does not connect.
 */
export function findAccess(sources: AccessSources): Access {
  const { env, kubeconfig, context, isPersonal = false, podFolder = usualPodFolder } = sources;
  if (kubeconfig) return accessFromKubeconfig([readKubeconfig(kubeconfig)], context);
  const paths = kubeconfigPaths(env);
  const there = paths.filter((path) => existsSync(path));
  const isListed = Boolean(env["KUBECONFIG"]);
  // As in kubectl, some of the listed files may be missing, but not all.
  if (isListed && there.length === 0) throw new AccessError(`cannot read kubeconfig ${paths.join(", ")}: no such file`);
  const host = env["KUBERNETES_SERVICE_HOST"];
  const isPodFirst = !isListed && !isPersonal;
  if (there.length > 0 && !(host && isPodFirst)) return accessFromKubeconfig(there.map(readKubeconfig), context);
  if (host) return inCluster(host, env["KUBERNETES_SERVICE_PORT"] || "443", podFolder);
  throw new NoClusterError(
    `no cluster configured: KUBECONFIG is not set, the process does not run in a pod, and there is no ${paths[0] ?? "~/.kube/config"}`,
  );
}

/** Returns the files of KUBECONFIG, or ~/.kube/config. When they are merged, the first file wins, as in kubectl. */
export function kubeconfigPaths(env: AccessSources["env"]): readonly string[] {
  const listed = (env["KUBECONFIG"] ?? "").split(delimiter).filter((path) => path !== "");
  const home = env["HOME"];
  return listed.length > 0 ? [...new Set(listed)] : home ? [join(home, ".kube", "config")] : [];
}

function readKubeconfig(path: string): KubeconfigFile {
  try {
    return { path, text: readFileSync(path, "utf8") };
  } catch (error) {
    throw new AccessError(`cannot read kubeconfig ${path}: ${reasonOf(error)}`, { cause: error });
  }
}

function inCluster(host: string, port: string, folder: string): Access {
  const file = (name: string) => join(folder, name);
  if (!existsSync(file("token"))) {
    throw new AccessError(
      `the process runs in a pod, but ${file("token")} is missing; is automountServiceAccountToken disabled?`,
    );
  }
  const namespace = existsSync(file("namespace")) ? readFileSync(file("namespace"), "utf8").trim() : "";
  return {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    authority: { file: file("ca.crt") },
    isInsecure: false,
    bearer: { kind: "token-file", file: file("token") },
    source: "the pod's ServiceAccount",
    ...(namespace && { namespace }),
  };
}

function reasonOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  const known: Readonly<Record<string, string>> = {
    ENOENT: "no such file",
    EACCES: "permission denied",
    EISDIR: "it is a directory",
  };
  return (typeof code === "string" && known[code]) || String(error instanceof Error ? error.message : error);
}
