// How etcd and kube-apiserver are called. Nothing is switched off that a real cluster has on.

import { join } from "node:path";
import type { Program } from "./keeper.ts";

export type Layout = {
  readonly binaries: string;
  readonly folder: string;
  readonly ports: { readonly etcd: number; readonly peer: number; readonly api: number };
};

/** The names of the files that the API server reads and writes in its folder. */
export const files = {
  authority: "authority.crt",
  serverCertificate: "server.crt",
  serverKey: "server.key",
  tokenSigningKey: "token-signing.key",
  auditPolicy: "audit-policy.json",
  auditLog: "audit.log",
} as const;

export function programsOf({ binaries, folder, ports }: Layout): readonly Program[] {
  const at = (name: string) => join(folder, name);
  const etcdUrl = `http://127.0.0.1:${ports.etcd}`;
  const peerUrl = `http://127.0.0.1:${ports.peer}`;
  const etcd = {
    "data-dir": at("etcd"),
    "listen-client-urls": etcdUrl,
    "advertise-client-urls": etcdUrl,
    "listen-peer-urls": peerUrl,
    "initial-advertise-peer-urls": peerUrl,
    "initial-cluster": `default=${peerUrl}`,
    "unsafe-no-fsync": "true",
    "log-level": "error",
  };
  const apiserver = {
    "etcd-servers": etcdUrl,
    // Exact reads of older versions must not answer 410 while a test runs.
    "etcd-compaction-interval": "0",
    "bind-address": "127.0.0.1",
    "secure-port": `${ports.api}`,
    "tls-cert-file": at(files.serverCertificate),
    "tls-private-key-file": at(files.serverKey),
    "client-ca-file": at(files.authority),
    "service-account-issuer": "https://kubernetes.default.svc",
    "service-account-signing-key-file": at(files.tokenSigningKey),
    "service-account-key-file": at(files.tokenSigningKey),
    "service-cluster-ip-range": "10.0.0.0/24",
    "authorization-mode": "RBAC",
    // On by default too, and named here because tests rely on them.
    "enable-admission-plugins": "PodSecurity,ValidatingAdmissionPolicy",
    "allow-privileged": "true",
    "audit-policy-file": at(files.auditPolicy),
    "audit-log-path": at(files.auditLog),
    "audit-log-mode": "blocking-strict",
  };
  return [
    { name: "etcd", command: join(binaries, "etcd"), args: flags(etcd) },
    { name: "kube-apiserver", command: join(binaries, "kube-apiserver"), args: flags(apiserver) },
  ];
}

function flags(values: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(values).map(([name, value]) => `--${name}=${value}`);
}
