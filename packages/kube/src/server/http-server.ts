// A small HTTP or HTTPS server that survives every client: bounded in connections, sizes and times; and the addresses it binds to.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer, type Server as SecureServer } from "node:https";
import { type AddressInfo, isIPv6, type Socket } from "node:net";
import type { Certificate } from "../auth/certificate.ts";
import type { RouteReply } from "./routes.ts";

export type ServerLimits = {
  /** Until a request is there. */
  readonly requestMs: number;
  /** Until the next one begins on the same connection. */
  readonly keepMs: number;
  readonly idleMs: number;
  readonly handshakeMs: number;
  readonly checkEveryMs: number;
  readonly headerBytes: number;
  readonly connections: number;
  /** From one address: one client alone cannot keep the others out. */
  readonly connectionsEach: number;
  /** What becomes of a connection too many: it is refused, or takes the place of the oldest one. */
  readonly whenFull: "refuse" | "evict";
  /** On one connection, so that nobody sends thousands at once. */
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
 * A probe is one short request, and whoever fills the server with idle connections must not make the kubelet restart the
 * process: the newest connection always gets through, and none stays for long.
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

/** Settles when it listens, or with one line that says why it cannot. */
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
  // Before Node takes the connection over with the certificate that it knows.
  server.prependListener("connection", () => {
    const renewed = certificate.renewed();
    if (renewed !== undefined) server.setSecureContext({ ...renewed, minVersion: "TLSv1.2" });
  });
  return server;
}

function limitConnections(server: Server | SecureServer, limits: ServerLimits): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  // One more is let in where it takes the place of another.
  server.maxConnections = limits.whenFull === "evict" ? limits.connections + 1 : limits.connections;
  server.maxRequestsPerSocket = limits.requestsEach;
  server.on("dropRequest", (_, socket: Socket) => socket.destroy()); // else Node goes on answering 503
  server.timeout = limits.idleMs; // for who does not read the answer
  server.on("connection", (socket: Socket) => {
    const { remoteAddress } = socket;
    const [oldest] = sockets;
    if (limits.whenFull === "evict" && sockets.size >= limits.connections) oldest?.destroy();
    if (limits.whenFull === "evict" && oldest !== undefined && oldest.destroyed) sockets.delete(oldest);
    const same = [...sockets].filter((other) => other.remoteAddress === remoteAddress);
    socket.on("error", () => undefined); // clients may go at any time
    if (same.length >= limits.connectionsEach) return void socket.destroy();
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  return sockets;
}

function send(request: IncomingMessage, response: ServerResponse, { status, body, type, headers }: RouteReply): void {
  // What a client sends as a body is not read, so nothing after it can be.
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
  EAI_AGAIN: "the host cannot be looked up",
};

function reasonOf(error: unknown): string {
  const { code = "", message } = error as Error & { readonly code?: string };
  return reasons[code] ?? message;
}

/** No host means every address of the machine, by IPv4 and IPv6. */
export type Endpoint = { readonly host?: string; readonly port: number };

export type BindAddress =
  | { readonly kind: "off" }
  | { readonly kind: "at"; readonly endpoint: Endpoint }
  | { readonly kind: "bad"; readonly problem: string };

/** `:8081`, `127.0.0.1:8083`, `[::1]:9`, `localhost:0` (any free port); `0` is off. Named ports are not known. */
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
  if (/\s/.test(host)) return bad("it has a space in it");
  return { kind: "at", endpoint: host === "" ? { port } : { host, port } };
}

export function formatEndpoint({ host = "", port }: Endpoint): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
