// Loads the mounted certificate of a server and reloads it after changes, or creates a self-signed one.

import { existsSync, readFileSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { createSecureContext } from "node:tls";
import { issueAuthority, issueServer } from "./x509.ts";

export type KeyPair = { readonly cert: string; readonly key: string };

export type Certificate = {
  readonly current: KeyPair;
  /** Returns the new key pair once after a change, otherwise undefined. It is cheap enough for every connection. */
  readonly renewed: () => KeyPair | undefined;
};

export type CertificateObserver = {
  readonly renewed: () => void;
  /** The files changed but cannot be used, so the previous certificate stays in use. Called once per change. */
  readonly unusable: (message: string) => void;
};

/** Returns a certificate that is valid for 10 years, for clients that do not verify the issuer. */
export function createSelfSignedCertificate(wallMs: number): Certificate {
  const year = 365 * 86_400_000;
  const validity = { from: new Date(wallMs - 3_600_000), until: new Date(wallMs + 10 * year) };
  const hosts = [hostname(), "localhost", "127.0.0.1", "::1"];
  const { certificate: cert, key } = issueServer(issueAuthority("self-signed", validity), hosts, validity);
  return { current: { cert, key }, renewed: () => undefined };
}

/**
 * Watches `tls.crt` and `tls.key` in a folder. Returns an error message if they are invalid. Serves a self-signed
 * certificate while an optional Secret is missing.
 */
export function watchMountedCertificate(
  folder: string,
  observer: CertificateObserver,
  wallMs: number,
): Certificate | string {
  let stamp = stampOf(folder);
  const first = isEmpty(folder) ? createSelfSignedCertificate(wallMs).current : read(folder);
  if (typeof first === "string") return first;
  if (isEmpty(folder))
    observer.unusable(`no certificate in ${folder} yet; serving with a self-signed certificate until it exists`);
  const renewed = () => {
    // A kubelet mount replaces both files at once. In other folders, one file may change before the other.
    const next = stampOf(folder);
    if (next === stamp) return undefined;
    stamp = next;
    const pair = read(folder);
    if (typeof pair !== "string") observer.renewed();
    else observer.unusable(pair);
    return typeof pair === "string" ? undefined : pair;
  };
  return { current: first, renewed };
}

const files = ["tls.crt", "tls.key"] as const;

function isEmpty(folder: string): boolean {
  return existsSync(folder) && !files.some((file) => existsSync(join(folder, file)));
}

function read(folder: string): KeyPair | string {
  try {
    const [cert = "", key = ""] = files.map((file) => readFileSync(join(folder, file), "utf8"));
    createSecureContext({ cert, key });
    return { cert, key };
  } catch (error) {
    return `cannot use the certificate in ${folder}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function stampOf(folder: string): string {
  return files.map((file) => stampOfFile(join(folder, file))).join(" ");
}

function stampOfFile(file: string): string {
  try {
    const { dev, ino, mtimeNs, size } = statSync(file, { bigint: true });
    return `${dev}:${ino}:${mtimeNs}:${size}`;
  } catch (error) {
    return String(error);
  }
}
