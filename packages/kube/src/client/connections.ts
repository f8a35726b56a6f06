// The sockets to one API server: three pools of idle connections, which are replaced when certificates change.

import { type ClientRequest, Agent as PlainAgent, type RequestOptions, request as sendPlain } from "node:http";
import { Agent as SecureAgent, request as sendSecure } from "node:https";
import type { Access } from "../auth/access.ts";
import type { TlsMaterial } from "../auth/credentials.ts";

/** Calls share eight sockets, and each watch has its own. A lease renewal never waits for another request. */
export type Pool = "calls" | "watches" | "lease";

const sockets: Readonly<Record<Pool, number>> = { calls: 8, watches: Number.POSITIVE_INFINITY, lease: 1 };

/** After this time, Linux probes a silent peer 10 times, once a second. A peer that has disappeared is detected within 25 s. */
const probeAfterMs = 15_000;
/** How long an idle connection is kept. Must be less than the server's own timeout. */
const idleAfterMs = 60_000;

type AnyAgent = PlainAgent | SecureAgent;

export class Connections {
  readonly #access: Access;
  readonly #proxyEnv: NodeJS.ProcessEnv | undefined;
  #tls: TlsMaterial | undefined;
  #agents: Readonly<Record<Pool, AnyAgent>> | undefined;

  constructor(access: Access, env: NodeJS.ProcessEnv = process.env) {
    this.#access = access;
    const { proxy } = access;
    this.#proxyEnv = proxy === undefined ? env : { HTTPS_PROXY: proxy, HTTP_PROXY: proxy };
  }

  /** Opens a request without sending it. The caller ends it when it may be sent. */
  open(pool: Pool, tls: TlsMaterial, options: RequestOptions & { readonly path: string }): ClientRequest {
    const url = new URL(this.#access.server);
    const path = `${url.pathname.replace(/\/$/, "")}${options.path}`;
    const target = {
      ...options,
      path,
      host: url.hostname.replace(/^\[|\]$/g, ""),
      port: url.port,
      agent: this.#agent(pool, tls),
    };
    return url.protocol === "http:" ? sendPlain(target) : sendSecure(target);
  }

  close(): void {
    for (const agent of Object.values(this.#agents ?? {})) agent.destroy();
    this.#agents = undefined;
  }

  #agent(pool: Pool, tls: TlsMaterial): AnyAgent {
    if (this.#agents === undefined || this.#tls !== tls) {
      const old = this.#agents;
      this.#agents = {
        calls: this.#make("calls", tls),
        watches: this.#make("watches", tls),
        lease: this.#make("lease", tls),
      };
      this.#tls = tls;
      // Closes idle sockets with the old certificate. Pending requests complete on theirs.
      for (const agent of Object.values(old ?? {})) closeIdle(agent);
    }
    return this.#agents[pool];
  }

  #make(pool: Pool, tls: TlsMaterial): AnyAgent {
    const { isInsecure, serverName, server } = this.#access;
    const keeping = {
      keepAlive: true,
      keepAliveMsecs: probeAfterMs,
      timeout: idleAfterMs,
      maxSockets: sockets[pool],
      proxyEnv: this.#proxyEnv,
    };
    if (server.startsWith("http:")) return new PlainAgent(keeping);
    const name = serverName === undefined ? {} : { servername: serverName };
    return new SecureAgent({ ...keeping, ...tls, ...name, rejectUnauthorized: !isInsecure, minVersion: "TLSv1.2" });
  }
}

function closeIdle(agent: AnyAgent): void {
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}
