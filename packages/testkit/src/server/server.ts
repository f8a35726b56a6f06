// A real API server with its etcd, for one test, demo or benchmark. One call starts it; it ends with its owner.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { issueClient } from "@virt/kube";
import { findBinaries } from "../binaries/find.ts";
import { type AuditEvent, readAudit } from "./audit.ts";
import { type Crd, installCrds, removeCrd } from "./crds.ts";
import { writeKubeconfig } from "./kubeconfig.ts";
import { type Launched, launch, validity } from "./launch.ts";
import { files } from "./programs.ts";
import { serviceAccountToken } from "./service-account.ts";
import { type Answer, type Identity, openWire, type Request } from "./wire.ts";

/** Somebody who talks to the server. */
export type Actor = {
  readonly kubeconfig: string;
  readonly request: (request: Request) => Promise<Answer>;
  readonly kubectl: (...args: readonly string[]) => Promise<Output>;
};

export type Output = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** Acts as the administrator, who may do everything. */
export type Server = Actor & {
  readonly url: string;
  readonly folder: string;
  readonly pids: readonly number[];
  readonly keeper: number;
  /** The folder of kube-apiserver, etcd and kubectl. */
  readonly binaries: string;
  /** Somebody new, with a certificate of their own and no rights but those of their groups. */
  readonly user: (name: string, groups?: readonly string[]) => Actor;
  readonly serviceAccount: (namespace: string, name: string) => Promise<Actor & { readonly token: string }>;
  readonly installCrds: (definitions: readonly (string | Crd)[]) => Promise<void>;
  readonly removeCrd: (definition: Crd) => Promise<void>;
  readonly audit: () => readonly AuditEvent[];
  readonly stop: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

export type ServerSettings = {
  /** Goes on when this process has ended, until somebody terminates the keeper. */
  readonly outlivesOwner?: boolean;
};

export async function startServer({ outlivesOwner = false }: ServerSettings = {}): Promise<Server> {
  const found = await findBinaries(process.env);
  if (found.kind === "absent") throw new Error("no control plane on this machine yet: run `make controlplane` once");
  const launched = await launch({ binaries: found.folder, outlivesOwner });
  const open = actors(launched, found.folder);
  const certificate = (name: string, groups: readonly string[]) =>
    issueClient(launched.authority, name, groups, validity(Date.now()));
  const admin = open.add("admin", certificate("admin", ["system:masters"]));
  const stop = async () => {
    open.close();
    await launched.end();
  };
  return {
    ...admin,
    url: launched.url,
    folder: launched.folder,
    pids: launched.pids,
    keeper: launched.keeper,
    binaries: found.folder,
    user: (name, groups = []) => open.add(name, certificate(name, groups)),
    serviceAccount: async (namespace, name) => {
      const token = await serviceAccountToken(admin, namespace, name);
      return { ...open.add(`${namespace}:${name}`, { token }), token };
    },
    installCrds: (definitions) => installCrds(admin, definitions),
    removeCrd: (definition) => removeCrd(admin, definition),
    audit: () => readAudit(join(launched.folder, files.auditLog)),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function actors({ url, folder, authority }: Launched, binaries: string) {
  const wires: { close: () => void }[] = [];
  const add = (user: string, identity: Identity): Actor => {
    const wire = openWire(url, authority.certificate, identity);
    wires.push(wire);
    const file = join(folder, `${encodeURIComponent(user)}-${wires.length}.kubeconfig`);
    const kubeconfig = writeKubeconfig(file, { url, authority: authority.certificate, user, identity });
    // HOME: kubectl keeps its discovery cache there, which must not outlive the server.
    const env = { ...process.env, KUBECONFIG: kubeconfig, HOME: folder };
    return { kubeconfig, request: wire.request, kubectl: (...args) => run(join(binaries, "kubectl"), args, env) };
  };
  const close = () => {
    for (const wire of wires) wire.close();
  };
  return { add, close };
}

async function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Output> {
  const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  const code = new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => resolve(status ?? 1));
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, stdout, stderr };
}
