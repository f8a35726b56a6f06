// Writes kubeconfig files for the users of a test control plane.

import { writeFileSync } from "node:fs";
import type { Identity } from "./wire.ts";

export type Access = {
  readonly url: string;
  readonly authority: string;
  readonly user: string;
  readonly identity: Identity;
};

export function writeKubeconfig(file: string, { url, authority, user, identity }: Access): string {
  const context = { name: "default", context: { cluster: "controlplane", user } };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": context.name,
    clusters: [{ name: "controlplane", cluster: { server: url, "certificate-authority-data": base64(authority) } }],
    users: [{ name: user, user: credentials(identity) }],
    contexts: [context],
  };
  writeFileSync(file, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
  return file;
}

function credentials(identity: Identity): Readonly<Record<string, string>> {
  if ("token" in identity) return { token: identity.token };
  return { "client-certificate-data": base64(identity.certificate), "client-key-data": base64(identity.key) };
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
