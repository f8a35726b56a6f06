// Keeps the credentials of one connection fresh: token files that are rotated, plugins whose answers expire.

import { readFileSync, statSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { type Access, AccessError, type Material } from "./access.ts";
import { type ExecCredential, runExecPlugin } from "./exec-credential.ts";

/** What a request needs to be let in. `tls` changes identity only when its content does. */
export type Identity = { readonly headers: Headers; readonly tls: TlsMaterial };

export type Headers = Readonly<Record<string, string | readonly string[]>>;

export type TlsMaterial = { readonly ca?: string; readonly cert?: string; readonly key?: string };

/** A mounted token is renewed by the kubelet long before it expires; a look once a minute is enough. */
const lookAgainMs = 60_000;

export class Credentials {
  readonly #access: Access;
  readonly #now: () => number;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #stamp = "";
  #plugin: ExecCredential | undefined;
  #identity: Identity | undefined;
  #tls: TlsMaterial = {};
  #pending: Promise<Identity> | undefined;

  /** `now` is wall time in milliseconds: plugins name their expiry by it. */
  constructor(access: Access, now: () => number = Date.now) {
    this.#access = access;
    this.#now = now;
  }

  /** The same answer until files changed, a plugin's answer expired, or `renew` was called. */
  async current(signal: AbortSignal): Promise<Identity> {
    const isOld = Math.abs(this.#now() - this.#lookedAt) >= lookAgainMs;
    const hasExpired = (this.#plugin?.expiresAt ?? Number.POSITIVE_INFINITY) <= this.#now();
    if (this.#identity !== undefined && !isOld && !hasExpired) return this.#identity;
    // Requests that come meanwhile wait for the same look.
    this.#pending ??= this.#look(hasExpired, signal).finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  /** The server did not know us: look again at once. */
  renew(): void {
    this.#lookedAt = Number.NEGATIVE_INFINITY;
    this.#identity = undefined;
    this.#plugin = undefined;
  }

  async #look(hasExpired: boolean, signal: AbortSignal): Promise<Identity> {
    const { bearer } = this.#access;
    const stamp = this.#fileStamp();
    if (bearer?.kind === "exec" && (this.#plugin === undefined || hasExpired)) {
      this.#plugin = await runExecPlugin(bearer.plugin, this.#access, signal);
      this.#identity = undefined;
    }
    if (this.#identity === undefined || stamp !== this.#stamp) this.#identity = this.#read();
    this.#stamp = stamp;
    this.#lookedAt = this.#now();
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
    // A new token is no reason for new connections.
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

// An array becomes one header line for each element, which is how the API server reads groups.
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
