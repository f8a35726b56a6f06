// The certificate of a server: mounted files, read again when they change, or a self-signed one.

import { existsSync, readFileSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { createSecureContext } from "node:tls";
import { issueAuthority, issueServer } from "./x509.ts";

export type KeyPair = { readonly cert: string; readonly key: string };

export type Certificate = {
  /** What a server starts with. */
  readonly current: KeyPair;
  /** The new one, once, when it has changed. Cheap enough to be asked for each connection. */
  readonly renewed: () => KeyPair | undefined;
};

export type CertificateObserver = {
  readonly renewed: () => void;
  /** The one before stays in use. Told once for each state of the files. */
  readonly unusable: (message: string) => void;
};

/** For clients that do not verify: nobody knows who signed it. */
export function createSelfSignedCertificate(wallMs: number): Certificate {
  const year = 365 * 86_400_000;
  const validity = { from: new Date(wallMs - 3_600_000), until: new Date(wallMs + 10 * year) };
  const hosts = [hostname(), "localhost", "127.0.0.1", "::1"];
  const { certificate: cert, key } = issueServer(issueAuthority("self-signed", validity), hosts, validity);
  return { current: { cert, key }, renewed: () => undefined };
}

/**
 * `tls.crt` and `tls.key` in a folder, such as a mounted Secret. A string says what is wrong with them.
 * A Secret that is optional may come later, or never: an empty folder is served self-signed until it has them.
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
    // The kubelet swaps the link `..data`, so that both files are others at once; elsewhere one may come before the other.
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
    return String(error); // absent, or not ours to see: another state, too
  }
}
