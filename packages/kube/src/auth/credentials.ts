// Keeps the credentials of a client up to date: rotated token files and the expiring output of credential plugins.

import { spawn } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { isDeepStrictEqual } from "node:util";
import { type Access, AccessError, type ExecPlugin, type Material } from "./access.ts";

/** The credentials of a request. `tls` is the same object until its content changes. */
export type Identity = { readonly headers: Headers; readonly tls: TlsMaterial };

export type Headers = Readonly<Record<string, string | readonly string[]>>;

export type TlsMaterial = { readonly ca?: string; readonly cert?: string; readonly key?: string };

/** How often to check files. The kubelet renews a mounted token long before it expires, so once a minute is enough. */
const recheckMs = 60_000;

export class Credentials {
  readonly #access: Access;
  readonly #now: () => number;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #stamp = "";
  #plugin: ExecCredential | undefined;
  #identity: Identity | undefined;
  #tls: TlsMaterial = {};
  #pending: Promise<Identity> | undefined;

  /** `now` returns wall time in milliseconds, because plugins report their expiry in wall time. */
  constructor(access: Access, now: () => number = Date.now) {
    this.#access = access;
    this.#now = now;
  }

  /**
   * Returns the current credentials. This is the same object until files change, the plugin's output expires, or
   * `renew` is called.
   */
  async current(signal: AbortSignal): Promise<Identity> {
    const isOld = Math.abs(this.#now() - this.#checkedAt) >= recheckMs;
    const hasExpired = (this.#plugin?.expiresAt ?? Number.POSITIVE_INFINITY) <= this.#now();
    if (this.#identity !== undefined && !isOld && !hasExpired) return this.#identity;
    this.#pending ??= this.#refresh(hasExpired, signal).finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  /** Call it after a 401. The next request then reads the files and runs the plugin again. */
  renew(): void {
    this.#checkedAt = Number.NEGATIVE_INFINITY;
    this.#identity = undefined;
    this.#plugin = undefined;
  }

  /** Makes the next request check the files, without running the plugin. */
  recheckFiles(): void {
    this.#checkedAt = Number.NEGATIVE_INFINITY;
  }

  async #refresh(hasExpired: boolean, signal: AbortSignal): Promise<Identity> {
    const { bearer } = this.#access;
    const stamp = this.#fileStamp();
    if (bearer?.kind === "exec" && (this.#plugin === undefined || hasExpired)) {
      this.#plugin = await runExecPlugin(bearer.plugin, this.#access, signal);
      this.#identity = undefined;
    }
    if (this.#identity === undefined || stamp !== this.#stamp) this.#identity = this.#read();
    this.#stamp = stamp;
    this.#checkedAt = this.#now();
    return this.#identity;
  }

  #fileStamp(): string {
    const { authority, certificate, key, bearer } = this.#access;
    const files = [authority, certificate, key].flatMap((one) =>
      one !== undefined && "file" in one ? [one.file] : [],
    );
    if (bearer?.kind === "token-file") files.push(bearer.file);
    return files.map((file) => `${file}@${modifiedAt(file)}`).join("\n");
  }

  #read(): Identity {
    const { authority, certificate, key } = this.#access;
    const ca = contentOf(authority);
    const cert = this.#plugin?.certificate ?? contentOf(certificate);
    const own = this.#plugin?.key ?? contentOf(key);
    const tls = { ...(ca && { ca }), ...(cert && { cert }), ...(own && { key: own }) };
    // Keeps the same object if `tls` is equal, so that a new token does not cause new connections.
    if (!isDeepStrictEqual(this.#tls, tls)) this.#tls = tls;
    return { headers: this.#headers(), tls: this.#tls };
  }

  #headers(): Headers {
    const { bearer, impersonate } = this.#access;
    const authorization = (value: string) => ({ authorization: value, ...impersonation(impersonate) });
    switch (bearer?.kind) {
      case "token":
        return authorization(`Bearer ${bearer.token}`);
      case "token-file":
        return authorization(`Bearer ${contentOf({ file: bearer.file })?.trim() ?? ""}`);
      case "basic":
        return authorization(`Basic ${Buffer.from(`${bearer.username}:${bearer.password}`).toString("base64")}`);
      case "exec":
        return this.#plugin?.token ? authorization(`Bearer ${this.#plugin.token}`) : impersonation(impersonate);
      case undefined:
        return impersonation(impersonate);
    }
  }
}

// Uses arrays, because Node sends one header line per element, and the API server requires this for groups.
function impersonation(who: Access["impersonate"]): Headers {
  if (who === undefined) return {};
  const extra = Object.entries(who.extra).map(([key, values]) => [
    `impersonate-extra-${encodeURIComponent(key)}`,
    values,
  ]);
  return {
    "impersonate-user": who.user,
    ...(who.uid && { "impersonate-uid": who.uid }),
    ...(who.groups.length > 0 && { "impersonate-group": who.groups }),
    ...(Object.fromEntries(extra) as Headers),
  };
}

function contentOf(material: Material | undefined): string | undefined {
  if (material === undefined) return undefined;
  if ("data" in material) return material.data;
  try {
    return readFileSync(material.file, "utf8");
  } catch (error) {
    throw new AccessError(`cannot read ${material.file}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

function modifiedAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

export type ExecCredential = {
  readonly token?: string;
  readonly certificate?: string;
  readonly key?: string;
  /** The expiry time in milliseconds. Absent if the credentials are valid until the server returns 401. */
  readonly expiresAt?: number;
};

/** The timeout for plugins. It is long enough to complete a device login. */
const patienceMs = 60_000;

async function runExecPlugin(plugin: ExecPlugin, access: Access, signal: AbortSignal): Promise<ExecCredential> {
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
