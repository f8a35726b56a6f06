// Keeps the credentials of a client up to date: rotated token files and the expiring output of credential plugins.

import { X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { pauseAfter } from "@virt/objects";
import type { Clock } from "../clock.ts";
import { type Access, AccessError, type Material } from "./access.ts";
import { type ExecCredential, runExecPlugin } from "./exec-plugin.ts";

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

const backoffMs = { first: 1_000, most: 30_000 };

type CredentialRefusal = {
  readonly identity: Identity;
  readonly why: string;
  /** In monotonic milliseconds, like `untilMs`. */
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly times: number;
};

/** Records that the API server rejects the credentials, so that the client does not send the same ones all the time. */
export class RefusedCredentials {
  readonly #clock: Pick<Clock, "monotonic">;
  #refusal: CredentialRefusal | undefined;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  get isRefused(): boolean {
    return this.#refusal !== undefined;
  }

  /** Returns the milliseconds since the first of consecutive rejections, or 0 after a success. */
  get forMs(): number {
    return this.#refusal === undefined ? 0 : this.#clock.monotonic() - this.#refusal.sinceMs;
  }

  /** Returns the milliseconds until these credentials may be sent again, or 0 for other credentials. */
  restMs(identity: Identity): number {
    if (this.#refusal === undefined || !isSameIdentity(this.#refusal.identity, identity)) return 0;
    return Math.max(0, this.#refusal.untilMs - this.#clock.monotonic());
  }

  get why(): string {
    return this.#refusal?.why ?? "";
  }

  refused(identity: Identity, why: string): void {
    const now = this.#clock.monotonic();
    const times = (this.#refusal?.times ?? 0) + 1;
    const untilMs = now + pauseAfter(times, backoffMs);
    this.#refusal = { identity, why, sinceMs: this.#refusal?.sinceMs ?? now, untilMs, times };
  }

  accepted(): void {
    this.#refusal = undefined;
  }
}

export function isSameIdentity(left: Identity, right: Identity): boolean {
  return left.tls === right.tls && left.headers["authorization"] === right.headers["authorization"];
}

/** Returns the expiry date as ISO 8601, or undefined if the certificate is still valid or cannot be parsed. */
export function expiredAt(pem: string, nowMs: number): string | undefined {
  try {
    const { validToDate } = new X509Certificate(pem);
    return validToDate.getTime() <= nowMs ? validToDate.toISOString() : undefined;
  } catch {
    return undefined;
  }
}
