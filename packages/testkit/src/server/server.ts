// A real API server with its etcd, for one test, demo or benchmark. One call starts it; it ends with its owner.

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

/** A user of the API server, with a kubeconfig of their own. */
export type ApiUser = {
  readonly kubeconfig: string;
  readonly request: (request: ApiRequest) => Promise<ApiResponse>;
  readonly kubectl: (...args: readonly string[]) => Promise<KubectlResult>;
};

/** `code` is the exit code; nothing is thrown for one that is not 0. */
export type KubectlResult = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** A running control plane, and its administrator, who may do everything. Processes and folder are gone after `stop`. */
export type Server = ApiUser & {
  readonly url: string;
  readonly folder: string;
  readonly pids: readonly number[];
  readonly keeper: number;
  /** The folder of kube-apiserver, etcd and kubectl. */
  readonly binaries: string;
  /** A new user, with a certificate and no rights but those of the groups. */
  readonly user: (name: string, groups?: readonly string[]) => ApiUser;
  /** Creates namespace and account where they are missing; the token is real and short-lived. */
  readonly serviceAccount: (namespace: string, name: string) => Promise<ApiUser & { readonly token: string }>;
  /** Of files or of definitions; settles when each version is served. */
  readonly installCrds: (definitions: readonly (string | Crd)[]) => Promise<void>;
  readonly removeCrd: (definition: Crd) => Promise<void>;
  /** Every request so far, read from the audit log. */
  readonly audit: () => readonly AuditEvent[];
  readonly stop: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

type ServerOptions = {
  /** Goes on when this process has ended, until somebody terminates the keeper. */
  readonly outlivesOwner?: boolean;
  /**
   * With a real kube-controller-manager: namespaces end, garbage is collected, roles aggregate, token Secrets are filled. Throws
   * where `make controller-manager` never ran.
   */
  readonly controllerManager?: boolean;
  /** An older minor release, such as "1.33", whose APIs alone are served. */
  readonly emulatedVersion?: string;
};

/**
 * Starts kube-apiserver and etcd on free ports, in two to four seconds; throws where `make controlplane` never ran. They end with
 * `stop`, with `await using`, or with this process. `example.integration.test.ts` shows it.
 */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const { controllerManager = false, ...launchOptions } = options;
  const launched = await launchFound(launchOptions);
  const server = openServer(launched, launched.end);
  return controllerManager ? withControllerManager(server, options.outlivesOwner === true) : server;
}

type LaunchOptions = Omit<ServerOptions, "controllerManager"> & { readonly content?: EtcdSnapshot };

/** With `content` it settles when the kinds are served that are defined there. */
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

/** What a control plane is to whoever uses it, wherever it was started. */
export type ReachedControlPlane = Omit<ControlPlane, "failure" | "end">;

/** `end` is called once, by `stop`. */
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
    // HOME: kubectl keeps its discovery cache there, which must not outlive the server. KUBE_EDITOR: nobody is there to type.
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
