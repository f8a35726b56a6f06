// Starts a real API server with etcd for tests, demos and benchmarks.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { issueClient } from "@virt/kube";
import { findBinaries } from "../binaries/obtain-binaries.ts";
import { type AuditEvent, type AuditStart, readAuditLog } from "./audit.ts";
import { type ControlPlane, certificateValidity, controlPlaneFiles, launchControlPlane } from "./control-plane.ts";
import { withControllerManager } from "./controller-manager.ts";
import { awaitServed, type Crd, installCrds, removeCrd } from "./crds.ts";
import { crdsIn, type EtcdSnapshot } from "./etcd-snapshot.ts";
import {
  type ApiRequest,
  type ApiResponse,
  type ClientIdentity,
  openTestClient,
  requestServiceAccountToken,
  writeKubeconfig,
} from "./test-client.ts";

/** A user of the test server, with a kubeconfig and ways to send requests. */
export type ApiUser = {
  readonly kubeconfig: string;
  readonly request: (request: ApiRequest) => Promise<ApiResponse>;
  readonly kubectl: (...args: readonly string[]) => Promise<KubectlResult>;
};

/** `code` is the exit code. A failed command does not throw. */
export type KubectlResult = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** Sends requests as an administrator. `stop` deletes the folder. */
export type Server = ApiUser & {
  readonly url: string;
  readonly folder: string;
  readonly pids: readonly number[];
  readonly keeper: number;
  readonly binaries: string;
  /** Creates a user with only the permissions of the groups. */
  readonly user: (name: string, groups?: readonly string[]) => ApiUser;
  /** Creates the namespace and the account if missing. The token is valid for an hour. */
  readonly serviceAccount: (namespace: string, name: string) => Promise<ApiUser & { readonly token: string }>;
  /** Accepts files and definitions. Resolves when each version is served. */
  readonly installCrds: (definitions: readonly (string | Crd)[]) => Promise<void>;
  readonly removeCrd: (definition: Crd) => Promise<void>;
  readonly audit: () => readonly AuditEvent[];
  readonly stop: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

type ServerOptions = {
  /** True if the server runs until its keeper is terminated. */
  readonly outlivesOwner?: boolean;
  /**
   * Runs a real kube-controller-manager, for garbage collection, role aggregation, and token Secrets. Throws if `make
   * controller-manager` has not been run.
   */
  readonly controllerManager?: boolean;
  /** An older minor release, such as "1.33". Only its APIs are served. */
  readonly emulatedVersion?: string;
};

/**
 * Starts kube-apiserver and etcd in two to four seconds. They end with `stop`, `await using`, or this process. Throws
 * if `make controlplane` has not been run. For an example, see `example.integration.test.ts`.
 */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const { controllerManager = false, ...launchOptions } = options;
  const launched = await launchFound(launchOptions);
  const server = openServer(launched, launched.end);
  return controllerManager ? withControllerManager(server, options.outlivesOwner === true) : server;
}

type LaunchOptions = Omit<ServerOptions, "controllerManager"> & { readonly content?: EtcdSnapshot };

/** Waits until the CRDs in `content` are served. */
export async function launchFound(options: LaunchOptions): Promise<ControlPlane> {
  const { outlivesOwner = false, content, ...others } = options;
  const found = await findBinaries(process.env);
  if (found.kind === "absent") throw new Error("no control plane on this machine yet: run `make controlplane` once");
  if (content === undefined) return launchControlPlane({ binaries: found.folder, outlivesOwner, ...others });
  const launched = await launchControlPlane({ binaries: found.folder, outlivesOwner, content, ...others });
  const server = openServer(launched, () => Promise.resolve());
  try {
    await Promise.all(crdsIn(content).map((crd) => awaitServed(server, crd)));
    return launched;
  } catch (error) {
    await launched.end();
    throw error;
  } finally {
    await server.stop();
  }
}

export type ReachedControlPlane = Omit<ControlPlane, "failure" | "end">;

/** Calls `end` once, on `stop`. */
export function openServer(
  controlPlane: ReachedControlPlane,
  end: () => Promise<void>,
  auditStart?: AuditStart,
): Server {
  const { url, folder, pids, keeper, binaries, authority } = controlPlane;
  const open = openUsers(controlPlane);
  const certificate = (name: string, groups: readonly string[]) =>
    issueClient(authority, name, groups, certificateValidity(Date.now()));
  const admin = open.add("admin", certificate("admin", ["system:masters"]));
  const stop = async () => {
    open.close();
    await end();
  };
  return {
    ...admin,
    url,
    folder,
    pids,
    keeper,
    binaries,
    user: (name, groups = []) => open.add(name, certificate(name, groups)),
    serviceAccount: async (namespace, name) => {
      const token = await requestServiceAccountToken(admin, namespace, name);
      return { ...open.add(`${namespace}:${name}`, { token }), token };
    },
    installCrds: (definitions) => installCrds(admin, definitions),
    removeCrd: (definition) => removeCrd(admin, definition),
    audit: () => readAuditLog(join(folder, controlPlaneFiles.auditLog), auditStart),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function openUsers({ url, folder, authority, binaries }: ReachedControlPlane) {
  const clients: { close: () => void }[] = [];
  const add = (user: string, identity: ClientIdentity): ApiUser => {
    const client = openTestClient(url, authority.certificate, identity);
    clients.push(client);
    const file = join(folder, `${encodeURIComponent(user)}-${clients.length}.kubeconfig`);
    const kubeconfig = writeKubeconfig(file, { url, authority: authority.certificate, user, identity });
    // Sets HOME, because kubectl's discovery cache must end with the server, and KUBE_EDITOR, because there is no user.
    const env = { ...process.env, KUBECONFIG: kubeconfig, HOME: folder, KUBE_EDITOR: "true" };
    return {
      kubeconfig,
      request: client.request,
      kubectl: (...args) => runCommand(join(binaries, "kubectl"), args, env),
    };
  };
  const close = () => {
    for (const client of clients) client.close();
  };
  return { add, close };
}

async function runCommand(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<KubectlResult> {
  const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  const code = new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => resolve(status ?? 1));
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, stdout, stderr };
}
