// A small HTTP or HTTPS server that survives every client: bounded in connections, sizes and times.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer, type Server as SecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Certificate } from "../access/certificate.ts";
import { type Endpoint, formatEndpoint } from "./bind-address.ts";
import type { Reply } from "./routes.ts";

export type ServerLimits = {
  /** Until a request is there. */
  readonly requestMs: number;
  /** Until the next one begins on the same connection. */
  readonly keepMs: number;
  readonly idleMs: number;
  readonly handshakeMs: number;
  readonly lookEveryMs: number;
  readonly headerBytes: number;
  readonly connections: number;
  /** From one address: one client alone cannot keep the others out. */
  readonly connectionsEach: number;
  /** On one connection, so that nobody sends thousands at once. */
  readonly requestsEach: number;
};

export const usualServerLimits: ServerLimits = {
  requestMs: 10_000,
  keepMs: 10_000,
  idleMs: 30_000,
  handshakeMs: 10_000,
  lookEveryMs: 5_000,
  headerBytes: 16_384,
  connections: 200,
  connectionsEach: 20,
  requestsEach: 100,
};

export type ServerParts = {
  readonly answer: (request: IncomingMessage, signal: AbortSignal) => Promise<Reply>;
  /** Absent: plain HTTP. */
  readonly certificate?: Certificate;
  readonly limits: ServerLimits;
};

export type Listening = { readonly port: number; readonly close: () => Promise<void> };

/** Settles when it listens, or with one line that says why it cannot. */
export async function listen(endpoint: Endpoint, parts: ServerParts): Promise<Listening | string> {
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
  { certificate, limits }: ServerParts,
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
): Server | SecureServer {
  const options = {
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepMs,
    connectionsCheckingInterval: limits.lookEveryMs,
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
  server.maxConnections = limits.connections;
  server.maxRequestsPerSocket = limits.requestsEach;
  server.on("dropRequest", (_, socket: Socket) => socket.destroy()); // else Node goes on answering 503
  server.timeout = limits.idleMs; // for who does not read the answer
  server.on("connection", (socket: Socket) => {
    const { remoteAddress } = socket;
    const same = [...sockets].filter((other) => other.remoteAddress === remoteAddress);
    socket.on("error", () => undefined); // clients may go at any time
    if (same.length >= limits.connectionsEach) return void socket.destroy();
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  return sockets;
}

function send(request: IncomingMessage, response: ServerResponse, { status, body, type, headers }: Reply): void {
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
