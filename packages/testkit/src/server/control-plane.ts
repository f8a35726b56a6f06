// Starts etcd and kube-apiserver under a keeper, with the security settings of a real cluster.

import { generateKeyPairSync } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { basename, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type Authority, issueAuthority, issueClient, issueServer } from "@virt/kube";
import { auditPolicy } from "./audit.ts";
import { type EtcdSnapshot, writeContent } from "./etcd-snapshot.ts";
import type { ProcessSpec } from "./keeper.ts";
import { type KeptProcesses, makeControlPlaneFolder, startKeeper } from "./start-keeper.ts";
import { openTestClient } from "./test-client.ts";

export type ControlPlane = KeptProcesses & {
  readonly url: string;
  readonly etcdUrl: string;
  readonly authority: Authority;
  readonly binaries: string;
};

/** Sets the start to yesterday, because clocks may differ. */
export function certificateValidity(now: number) {
  const day = 86_400_000;
  return { from: new Date(now - day), until: new Date(now + 3650 * day) };
}

/** Another process may take a free port before it is used. */
const attempts = 3;
const readyTimeoutMs = 180_000;

type ControlPlaneOptions = {
  readonly binaries: string;
  readonly outlivesOwner: boolean;
  readonly content?: EtcdSnapshot;
  /** An older minor release, such as "1.33". Only its APIs are served. */
  readonly emulatedVersion?: string;
};

export async function launchControlPlane(
  settings: ControlPlaneOptions,
  choosePorts = freePorts,
): Promise<ControlPlane> {
  for (let attempt = 1; ; attempt++) {
    const [etcd = 0, peer = 0, api = 0] = await choosePorts(3);
    const launched = await startProcesses(settings, { etcd, peer, api });
    const failure = await readinessFailure(launched);
    if (failure === undefined) return launched;
    const logs = ["etcd", "kube-apiserver"].map((name) => lastLines(join(launched.folder, `${name}.log`)));
    await launched.end();
    const isPortTaken = logs.some((log) => log.includes("address already in use"));
    if (!isPortTaken || attempt === attempts)
      throw new Error(`the control plane did not start: ${failure}\n${logs.join("\n")}`);
  }
}

type Ports = { readonly etcd: number; readonly peer: number; readonly api: number };

const etcdUrlAt = ({ etcd }: Ports) => `http://127.0.0.1:${etcd}`;

async function startProcesses(options: ControlPlaneOptions, ports: Ports): Promise<ControlPlane> {
  const { binaries, outlivesOwner, content, emulatedVersion } = options;
  const authority = issueAuthority("test control plane", certificateValidity(Date.now()));
  const kept = await startKeeper((keeper) => {
    const folder = makeControlPlaneFolder(keeper);
    writeFiles(folder, authority);
    const [etcd, apiserver] = controlPlaneProcesses({ binaries, folder, ports, emulatedVersion });
    if (content === undefined) return { folder, programs: [etcd, apiserver] };
    void loadEtcd(folder, ports, content);
    return { folder, programs: [etcd, { ...apiserver, startsAfter: controlPlaneFiles.loaded }] };
  }, outlivesOwner);
  return { ...kept, binaries, authority, url: `https://127.0.0.1:${ports.api}`, etcdUrl: etcdUrlAt(ports) };
}

/** Checks the name of etcd, because another control plane may have taken the port. */
async function loadEtcd(folder: string, ports: Ports, content: EtcdSnapshot): Promise<void> {
  const deadline = AbortSignal.timeout(readyTimeoutMs);
  while (!deadline.aborted && existsSync(folder)) {
    const isLoaded = await writeContent(etcdUrlAt(ports), basename(folder), content).catch(() => false);
    if (isLoaded) return writeFileSync(join(folder, controlPlaneFiles.loaded), "");
    await wait(25);
  }
}

function writeFiles(folder: string, authority: Authority): void {
  const server = issueServer(authority, ["127.0.0.1", "localhost"], certificateValidity(Date.now()));
  const tokenKey = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  const contents = {
    [controlPlaneFiles.authority]: authority.certificate,
    [controlPlaneFiles.serverCertificate]: server.certificate,
    [controlPlaneFiles.serverKey]: server.key,
    [controlPlaneFiles.tokenSigningKey]: tokenKey.export({ type: "sec1", format: "pem" }),
    [controlPlaneFiles.auditPolicy]: JSON.stringify(auditPolicy),
  };
  for (const [name, content] of Object.entries(contents)) writeFileSync(join(folder, name), content, { mode: 0o600 });
}

/** Returns undefined when ready, or the reason for the failure. */
async function readinessFailure({ url, authority, failure }: ControlPlane): Promise<string | undefined> {
  const probe = openTestClient(
    url,
    authority.certificate,
    issueClient(authority, "probe", ["system:masters"], certificateValidity(Date.now())),
  );
  const deadline = AbortSignal.timeout(readyTimeoutMs);
  const failed = failure.then((why) => ({ why }));
  try {
    while (!deadline.aborted) {
      const answer = await Promise.race([failed, probe.request({ path: "/readyz" }).catch(() => undefined)]);
      if (answer !== undefined && "why" in answer) return answer.why;
      if (answer?.status === 200) return undefined;
      await wait(25);
    }
    return `not ready after ${readyTimeoutMs / 1000} s`;
  } finally {
    probe.close();
  }
}

/** The file is missing if the program did not start, because an earlier one ended. */
function lastLines(file: string): string {
  if (!existsSync(file)) return "";
  return readFileSync(file, "utf8").trimEnd().split("\n").slice(-8).join("\n");
}

type Layout = {
  readonly binaries: string;
  readonly folder: string;
  readonly ports: Ports;
  readonly emulatedVersion: string | undefined;
};

export const controlPlaneFiles = {
  authority: "authority.crt",
  serverCertificate: "server.crt",
  serverKey: "server.key",
  tokenSigningKey: "token-signing.key",
  auditPolicy: "audit-policy.json",
  auditLog: "audit.log",
  loaded: "loaded",
} as const;

function controlPlaneProcesses({
  binaries,
  folder,
  ports,
  emulatedVersion,
}: Layout): readonly [ProcessSpec, ProcessSpec] {
  const at = (name: string) => join(folder, name);
  const etcdUrl = etcdUrlAt(ports);
  const peerUrl = `http://127.0.0.1:${ports.peer}`;
  const etcd = {
    name: basename(folder),
    "data-dir": at("etcd"),
    "listen-client-urls": etcdUrl,
    "advertise-client-urls": etcdUrl,
    "listen-peer-urls": peerUrl,
    "initial-advertise-peer-urls": peerUrl,
    "initial-cluster": `${basename(folder)}=${peerUrl}`,
    "unsafe-no-fsync": "true",
    "log-level": "error",
  };
  const apiserver = {
    "etcd-servers": etcdUrl,
    // Without compaction, exact reads of older versions never return 410 during a test.
    "etcd-compaction-interval": "0",
    "bind-address": "127.0.0.1",
    "secure-port": `${ports.api}`,
    "tls-cert-file": at(controlPlaneFiles.serverCertificate),
    "tls-private-key-file": at(controlPlaneFiles.serverKey),
    "client-ca-file": at(controlPlaneFiles.authority),
    "service-account-issuer": "https://kubernetes.default.svc",
    "service-account-signing-key-file": at(controlPlaneFiles.tokenSigningKey),
    "service-account-key-file": at(controlPlaneFiles.tokenSigningKey),
    "service-cluster-ip-range": "10.0.0.0/24",
    "authorization-mode": "RBAC",
    // Enabled by default. Listed because tests depend on them.
    "enable-admission-plugins": "PodSecurity,ValidatingAdmissionPolicy",
    "allow-privileged": "true",
    "audit-policy-file": at(controlPlaneFiles.auditPolicy),
    "audit-log-path": at(controlPlaneFiles.auditLog),
    "audit-log-mode": "blocking-strict",
    ...(emulatedVersion !== undefined && { "emulated-version": emulatedVersion }),
  };
  return [
    { name: "etcd", command: join(binaries, "etcd"), args: flags(etcd) },
    { name: "kube-apiserver", command: join(binaries, "kube-apiserver"), args: flags(apiserver) },
  ];
}

function flags(values: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(values).map(([name, value]) => `--${name}=${value}`);
}

/** Below the ephemeral ports, which outgoing connections would take. */
const portRange = { first: 12_000, count: 20_000 };
/** Starts at a random port and cycles, so that parallel processes rarely collide. */
let nextPort = Math.floor(Math.random() * portRange.count);

/** Returns free ports. Another process may take them first, so be ready to retry. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const free: number[] = [];
  for (let tried = 0; free.length < count; tried++) {
    if (tried === portRange.count) throw new Error(`no ${count} ports are free from ${portRange.first} on`);
    const port = portRange.first + (nextPort++ % portRange.count);
    if (await isFree(port)) free.push(port);
  }
  return free;
}

async function isFree(port: number): Promise<boolean> {
  const listener = createServer().listen(port, "127.0.0.1");
  const isListening = await new Promise<boolean>((resolve) => {
    listener.once("listening", () => resolve(true));
    listener.once("error", () => resolve(false));
  });
  if (isListening) await new Promise((resolve) => void listener.close(resolve));
  return isListening;
}
