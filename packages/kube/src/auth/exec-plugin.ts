// Runs a credential plugin of a kubeconfig and reads its output.

import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { type Access, AccessError, type ExecPlugin } from "./access.ts";

export type ExecCredential = {
  readonly token?: string;
  readonly certificate?: string;
  readonly key?: string;
  /** The expiry time in milliseconds. Absent if the credentials are valid until the server returns 401. */
  readonly expiresAt?: number;
};

/** The timeout for plugins. It is long enough to complete a device login. */
const patienceMs = 60_000;

export async function runExecPlugin(plugin: ExecPlugin, access: Access, signal: AbortSignal): Promise<ExecCredential> {
  const { code, stdout, stderr } = await run(plugin, access, signal);
  if (code !== 0)
    throw new AccessError(`credential plugin ${plugin.command} ended with code ${code}: ${lastLine(stderr)}`);
  return parse(stdout, plugin);
}

type PluginExit = { readonly code: number; readonly stdout: string; readonly stderr: string };

async function run(plugin: ExecPlugin, access: Access, signal: AbortSignal): Promise<PluginExit> {
  const hasSlash = plugin.command.includes("/");
  const command = hasSlash ? resolve(plugin.folder, plugin.command) : plugin.command;
  const env = { ...process.env, ...plugin.env, KUBERNETES_EXEC_INFO: JSON.stringify(question(plugin, access)) };
  const either = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
  const child = spawn(command, plugin.args, { env, stdio: ["ignore", "pipe", "pipe"], signal: either });
  const code = new Promise<number>((settle, reject) => {
    child.once("close", (status) => settle(status ?? 1));
    child.once("error", (error) => reject(failure(plugin, error)));
  });
  const [stdout, stderr, ended] = await Promise.all([text(child.stdout), text(child.stderr), code]);
  return { code: ended, stdout, stderr };
}

function failure({ command, installHint }: ExecPlugin, error: Error): AccessError {
  const isMissing = "code" in error && error.code === "ENOENT";
  const hint = isMissing && installHint ? ` (${installHint.trim().split("\n").join(" ")})` : "";
  const why = isMissing ? "is not installed" : `could not be run: ${error.message}`;
  return new AccessError(`credential plugin ${command} ${why}${hint}`, { cause: error });
}

function question(
  { apiVersion, provideClusterInfo }: ExecPlugin,
  { server, authority, isInsecure, serverName }: Access,
): unknown {
  const ca =
    authority !== undefined && "data" in authority ? Buffer.from(authority.data).toString("base64") : undefined;
  const cluster = {
    server,
    "insecure-skip-tls-verify": isInsecure,
    ...(serverName && { "tls-server-name": serverName }),
    ...(ca && { "certificate-authority-data": ca }),
  };
  return { apiVersion, kind: "ExecCredential", spec: { interactive: false, ...(provideClusterInfo && { cluster }) } };
}

type ExecCredentialJson = {
  readonly apiVersion?: string;
  readonly status?: Readonly<Record<string, string | undefined>>;
};

function parse(stdout: string, { command, apiVersion }: ExecPlugin): ExecCredential {
  let parsed: ExecCredentialJson | null;
  try {
    parsed = JSON.parse(stdout) as ExecCredentialJson | null;
  } catch (error) {
    throw new AccessError(`credential plugin ${command} did not print JSON`, { cause: error });
  }
  if (parsed?.apiVersion !== apiVersion) {
    throw new AccessError(
      `credential plugin ${command} returned apiVersion "${parsed?.apiVersion ?? ""}", not ${apiVersion}`,
    );
  }
  const { token, clientCertificateData: certificate, clientKeyData: key, expirationTimestamp } = parsed.status ?? {};
  if (!token && !(certificate && key))
    throw new AccessError(`credential plugin ${command} returned neither a token nor a certificate`);
  const expiresAt = expirationTimestamp === undefined ? Number.NaN : Date.parse(expirationTimestamp);
  return {
    ...(token && { token }),
    ...(certificate && key && { certificate, key }),
    ...(!Number.isNaN(expiresAt) && { expiresAt }),
  };
}

function lastLine(words: string): string {
  return words.trim().split("\n").at(-1) ?? "";
}
