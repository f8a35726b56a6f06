// The standalone console: serves the pages on 127.0.0.1 and forwards requests to the API server as the user.

import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type Access, Client, noLease } from "@virt/kube";
import { type AdoptionServer, answerAdoption, isAdoptionPath } from "./adoption-route.ts";
import { allowRequest } from "./allowed-requests.ts";
import { type ConsolePages, plainContent } from "./embedded-pages.ts";
import { readUserName } from "./read-user-name.ts";
import { checkSource, cookieName, readCookie, readKey, securityHeaders } from "./request-checks.ts";
import { answerEndedSession } from "./session-pages.ts";
import { type Session, type SessionCheck, Sessions } from "./sessions.ts";
import { streamKinds } from "./stream-kinds.ts";

export type ServeConsoleOptions = {
  readonly access: Access;
  readonly pages: ConsolePages;
  readonly userAgent: string;
  /** The preferred port. If it is in use, the server tries the ports after it. */
  readonly port: number;
  /** Returns the impact of enabling the platform controller, as JSON. Rejects with a message for the user. */
  readonly previewEnablement: (client: Client, signal: AbortSignal) => Promise<unknown>;
  readonly adoption: AdoptionServer;
  readonly now?: () => number;
  readonly tokenLifetimeMs?: number;
};

/** `port` may differ from the requested one. `url` contains a one-time token. */
export type ServedConsole = { readonly url: string; readonly port: number; readonly close: () => Promise<void> };

const mostBodyBytes = 64_000;
const triedPorts = 20;
const usualTokenLifetimeMs = 10 * 60 * 1000;
const address = "127.0.0.1";

/** Starts the server on 127.0.0.1 only. */
export async function serveConsole(options: ServeConsoleOptions): Promise<ServedConsole> {
  const { now = Date.now, tokenLifetimeMs = usualTokenLifetimeMs } = options;
  const client = new Client({ access: options.access, userAgent: options.userAgent });
  const stopped = new AbortController();
  const randomText = () => randomBytes(32).toString("hex");
  const sessions = new Sessions({ issuedAt: now(), tokenLifetimeMs, randomText });
  const { server: apiServer } = options.access;
  const console: ConsoleParts = {
    pages: options.pages,
    client,
    server: apiServer,
    previewEnablement: options.previewEnablement,
    adoption: options.adoption,
    sessions,
    now,
    signal: stopped.signal,
  };
  const server = createServer({ maxHeaderSize: 16_384 }, (request, response) => {
    handleRequest(console, request, response).catch(() => response.destroy());
  });
  const port = await listen(server, options.port);
  return {
    port,
    url: `http://${address}:${port}/?token=${sessions.token}`,
    close: async () => {
      stopped.abort();
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
      client.close();
    },
  };
}

async function listen(server: Server, first: number): Promise<number> {
  for (let port = first; ; port++) {
    const error = await tryPort(server, port);
    if (error === undefined) break;
    const isBusy = error.code === "EADDRINUSE" || error.code === "EACCES";
    if (!isBusy || first === 0 || port - first >= triedPorts) throw error;
  }
  const bound = server.address();
  return typeof bound === "object" && bound !== null ? bound.port : first;
}

function tryPort(server: Server, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const settle = (error?: NodeJS.ErrnoException) => {
      server.off("error", settle).off("listening", settle);
      resolve(error);
    };
    server.once("error", settle).once("listening", settle);
    server.listen(port, address);
  });
}

type ConsoleParts = {
  readonly pages: ConsolePages;
  readonly client: Client;
  readonly server: string;
  readonly previewEnablement: ServeConsoleOptions["previewEnablement"];
  readonly adoption: AdoptionServer;
  readonly sessions: Sessions;
  readonly now: () => number;
  readonly signal: AbortSignal;
};

async function handleRequest(console: ConsoleParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
  const port = request.socket.localPort ?? 0;
  const refusal = checkSource(request, port);
  if (refusal !== undefined) return answerText(response, refusal.status, refusal.why);
  const url = request.url ?? "";
  const cookie = readCookie(request, cookieName(port));
  const [, token] = /^\/\?token=([0-9a-f]{1,128})$/.exec(url) ?? [];
  const visit = console.sessions.checkCookie(cookie, console.now());
  if (token !== undefined && request.method === "GET")
    return visit.kind === "active" ? redirect(response, "/") : exchangeToken(console, token, port, response);
  const isData = ["/cluster/", "/stream?", "/session/", "/preview/", "/adoption/"].some((start) =>
    url.startsWith(start),
  );
  const check: SessionCheck = isData ? console.sessions.checkSecrets(cookie, readKey(request), console.now()) : visit;
  if (check.kind === "refused") return answerEndedSession(response, check.why);
  if (url === activityPath) return recordActivity(console, check.session, request, response);
  if (url === enablementPath) return answerEnablement(console, response);
  if (url === identityPath) return answerIdentity(console, response);
  if (isAdoptionPath(url)) {
    const ended = AbortSignal.any([console.signal, goneWith(response)]);
    const body = await readRequestBody(request);
    return answerAdoption(console.adoption, { request, body, client: console.client, signal: ended }, response);
  }
  if (url.startsWith("/cluster/")) return forward(console, request, response);
  if (request.method !== "GET") return answerText(response, 405, "this path allows only GET");
  if (url.startsWith("/stream?")) {
    const isSessionActive = () => check.session.endAt(console.now()) === undefined;
    return streamKinds(new URLSearchParams(url.slice("/stream?".length)), { ...console, isSessionActive }, response);
  }
  return sendPage(console.pages.get(url === "/" ? "/index.html" : url), request, response);
}

/** Pages report user input to this path. Only these requests extend a session, because pages may send others automatically. */
const activityPath = "/session/activity";

function recordActivity(
  { now }: ConsoleParts,
  session: Session,
  { method }: IncomingMessage,
  response: ServerResponse,
): void {
  if (method !== "POST") return answerText(response, 405, "this path allows only POST");
  session.recordActivity(now());
  answerText(response, 204, "");
}

/** Returns the cluster and the user, for the page header. */
const identityPath = "/session/identity";

async function answerIdentity({ client, server, signal }: ConsoleParts, response: ServerResponse): Promise<void> {
  const ended = AbortSignal.any([signal, goneWith(response)]);
  const identity = { server, user: await readUserName(client, ended) };
  response.writeHead(200, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify(identity));
}

/** Returns the combined impact, which a page shows before it offers to enable the platform controller. */
const enablementPath = "/preview/enablement";

async function answerEnablement(console: ConsoleParts, response: ServerResponse): Promise<void> {
  const ended = AbortSignal.any([console.signal, goneWith(response)]);
  try {
    const enablement = await console.previewEnablement(console.client, ended);
    response.writeHead(200, { "content-type": "application/json", "cache-control": "no-store" });
    response.end(JSON.stringify(enablement));
  } catch (error) {
    answerText(response, 502, error instanceof Error ? error.message : String(error));
  }
}

const newLink = "Run kubectl virt-advisor console again (or make demo), and open the link that it prints.";
const refusedTokens = {
  unknown: `This link does not belong to the running console. ${newLink}`,
  used: `This link has already been used. It works once, in one browser. ${newLink}`,
  expired: `This link has expired. It is valid for 10 minutes. ${newLink}`,
} as const;

/** Exchanges the one-time token for a session. The redirect has the key in the URL fragment, which browsers never send. */
function exchangeToken(console: ConsoleParts, token: string, port: number, response: ServerResponse): void {
  const exchange = console.sessions.exchange(token, console.now());
  if (exchange.kind === "refused") return answerText(response, 401, refusedTokens[exchange.why]);
  const { cookie, key } = exchange.secrets;
  response.setHeader("set-cookie", `${cookieName(port)}=${cookie}; HttpOnly; SameSite=Strict; Path=/`);
  redirect(response, `/#key=${key}`);
}

function redirect(response: ServerResponse, location: string): void {
  response.setHeader("location", location);
  answerText(response, 303, "");
}

function answerText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" });
  response.end(text === "" ? "" : `${text}\n`);
}

function sendPage(file: ReturnType<ConsolePages["get"]>, request: IncomingMessage, response: ServerResponse): void {
  if (file === undefined) return answerText(response, 404, "page not found");
  const takesGzip = (request.headers["accept-encoding"] ?? "").includes("gzip");
  response.writeHead(200, {
    "content-type": file.type,
    "cache-control": "no-cache",
    ...(takesGzip && { "content-encoding": "gzip" }),
  });
  response.end(takesGzip ? file.gzipped : plainContent(file));
}

async function forward(
  { client, signal }: ConsoleParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readRequestBody(request);
  if (body === undefined) return answerText(response, 413, "the request body is too large");
  const { method = "", url = "", headers } = request;
  const contentType = headers["content-type"] ?? "";
  const decided = allowRequest({ method, url: url.slice("/cluster".length), contentType, body });
  if (decided.kind === "refused")
    return answerText(response, 403, `The console rejected this request: ${decided.why}.`);
  const { request: allowed } = decided;
  const ended = AbortSignal.any([signal, goneWith(response)]);
  const answer =
    allowed.method === "GET"
      ? await client.send(allowed, { signal: ended })
      : await client.under(noLease).write(allowed, { signal: ended });
  if (answer.kind === "failed") return answerText(response, 502, answer.failure.message);
  // A response that is not JSON does not come from the API server.
  if (answer.body === undefined)
    return answerText(response, 502, `the API server returned ${answer.status} with a body that is not JSON`);
  response.writeHead(answer.status, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify(answer.body));
}

function goneWith(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  return gone.signal;
}

async function readRequestBody(request: IncomingMessage): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > mostBodyBytes) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}
