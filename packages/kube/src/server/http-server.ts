// A small HTTP or HTTPS server with limits on connections, sizes and times.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer, type Server as SecureServer } from "node:https";
import { type AddressInfo, isIPv6, type Socket } from "node:net";
import type { Certificate } from "../auth/certificate.ts";
import type { RouteReply } from "./routes.ts";

export type ServerLimits = {
  /** The time limit for receiving a complete request. */
  readonly requestMs: number;
  /** The time limit for the next request on the same connection. */
  readonly keepMs: number;
  readonly idleMs: number;
  readonly handshakeMs: number;
  readonly checkEveryMs: number;
  readonly headerBytes: number;
  readonly connections: number;
  /** The limit per address, so that one client cannot lock out the others. */
  readonly connectionsEach: number;
  /** At the limit, `refuse` rejects new connections and `evict` closes the oldest. */
  readonly whenFull: "refuse" | "evict";
  readonly requestsEach: number;
};

export const defaultServerLimits: ServerLimits = {
  requestMs: 10_000,
  keepMs: 10_000,
  idleMs: 30_000,
  handshakeMs: 10_000,
  checkEveryMs: 5_000,
  headerBytes: 16_384,
  connections: 200,
  connectionsEach: 20,
  whenFull: "refuse",
  requestsEach: 100,
};

/**
 * Limits for the probe server. It always accepts new connections and closes idle ones soon, so that no client can make
 * the kubelet's probes fail.
 */
export const probeServerLimits: ServerLimits = {
  ...defaultServerLimits,
  requestMs: 2_000,
  keepMs: 1_000,
  idleMs: 5_000,
  checkEveryMs: 1_000,
  connections: 50,
  connectionsEach: 50,
  whenFull: "evict",
};

export type HttpServerOptions = {
  readonly answer: (request: IncomingMessage, signal: AbortSignal) => Promise<RouteReply>;
  /** Absent: plain HTTP. */
  readonly certificate?: Certificate;
  readonly limits: ServerLimits;
};

export type HttpListener = { readonly port: number; readonly close: () => Promise<void> };

/** Resolves with a one-line message if it cannot listen. */
export async function listen(endpoint: Endpoint, parts: HttpServerOptions): Promise<HttpListener | string> {
  const closing = new AbortController();
  const server = create(parts, (request, response) => {
    void parts.answer(request, closing.signal).then((reply) => send(request, response, reply));
  });
  const sockets = limitConnections(server, parts.limits);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject).listen(endpoint, resolve);
    });
  } catch (error) {
    return `cannot listen on ${formatEndpoint(endpoint)}: ${reasonOf(error)}`;
  }
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    closing.abort();
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return { port, close };
}

function create(
  { certificate, limits }: HttpServerOptions,
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
): Server | SecureServer {
  const options = {
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepMs,
    connectionsCheckingInterval: limits.checkEveryMs,
    maxHeaderSize: limits.headerBytes,
  };
  if (certificate === undefined) return createServer(options, onRequest);
  const tls = { ...certificate.current, minVersion: "TLSv1.2", handshakeTimeout: limits.handshakeMs } as const;
  const server = createSecureServer({ ...options, ...tls }, onRequest);
  // Must run before Node starts TLS with its current certificate.
  server.prependListener("connection", () => {
    const renewed = certificate.renewed();
    if (renewed !== undefined) server.setSecureContext({ ...renewed, minVersion: "TLSv1.2" });
  });
  return server;
}

function limitConnections(server: Server | SecureServer, limits: ServerLimits): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  // `evict` accepts one more connection, which then replaces the oldest one.
  server.maxConnections = limits.whenFull === "evict" ? limits.connections + 1 : limits.connections;
  server.maxRequestsPerSocket = limits.requestsEach;
  server.on("dropRequest", (_, socket: Socket) => socket.destroy()); // otherwise Node keeps responding with 503
  server.timeout = limits.idleMs; // also ends connections that do not read the response
  server.on("connection", (socket: Socket) => {
    const { remoteAddress } = socket;
    const [oldest] = sockets;
    if (limits.whenFull === "evict" && sockets.size >= limits.connections) oldest?.destroy();
    if (limits.whenFull === "evict" && oldest !== undefined && oldest.destroyed) sockets.delete(oldest);
    const same = [...sockets].filter((other) => other.remoteAddress === remoteAddress);
    socket.on("error", () => undefined); // clients may disconnect at any time
    if (same.length >= limits.connectionsEach) return void socket.destroy();
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  return sockets;
}

function send(request: IncomingMessage, response: ServerResponse, { status, body, type, headers }: RouteReply): void {
  // Closes the connection after a request with a body, because the server does not read bodies.
  const hasBody = request.headers["content-length"] !== undefined || request.headers["transfer-encoding"] !== undefined;
  response.writeHead(status, {
    "content-type": type ?? "text/plain; charset=utf-8",
    "content-length": `${Buffer.byteLength(body)}`,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...(hasBody && { connection: "close" }),
    ...headers,
  });
  response.end(body);
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: "the address is in use",
  EADDRNOTAVAIL: "this machine has no such address",
  EACCES: "not allowed",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the host name cannot be resolved",
};

function reasonOf(error: unknown): string {
  const { code = "", message } = error as Error & { readonly code?: string };
  return reasons[code] ?? message;
}

/** Without a host, binds to all IPv4 and IPv6 addresses. */
export type Endpoint = { readonly host?: string; readonly port: number };

export type BindAddress =
  | { readonly kind: "off" }
  | { readonly kind: "at"; readonly endpoint: Endpoint }
  | { readonly kind: "bad"; readonly problem: string };

/** Parses `:8081`, `127.0.0.1:8083`, `[::1]:9`, or `localhost:0` (any free port). `0` disables the server. */
export function parseBindAddress(text: string): BindAddress {
  if (text === "0") return { kind: "off" };
  const bad = (problem: string) =>
    ({ kind: "bad", problem: `"${text}" is not a valid listen address: ${problem}` }) as const;
  const [, bracketed, plain, digits] = /^(?:\[([^[\]]*)\]|([^:[\]]*)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined) return bad("expected host:port, :port, [IPv6]:port or 0");
  if (port > 65_535) return bad(`port ${port} is above 65535`);
  if (bracketed !== undefined && !isIPv6(bracketed)) return bad(`"${bracketed}" is not an IPv6 address`);
  const host = bracketed ?? plain ?? "";
  if (/\s/.test(host)) return bad("it contains a space");
  return { kind: "at", endpoint: host === "" ? { port } : { host, port } };
}

export function formatEndpoint({ host = "", port }: Endpoint): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
