// An HTTP server that sends scripted responses in order and simulates network faults.

import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { text } from "node:stream/consumers";

type ScriptedRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  readonly connection: number;
};

/** Create one with `reply`. */
export type ScriptedReply = (response: ServerResponse, seen: ScriptedRequest) => void;

/** Only for network faults. Do not imitate an API server. */
export type ScriptedServer = {
  readonly url: string;
  readonly seen: readonly ScriptedRequest[];
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

type Tls = { readonly certificate: string; readonly key: string; readonly clientAuthority?: string };

/** After the end of the script, returns 599, which no client mistakes for a real response. */
export async function startScriptedServer(script: readonly ScriptedReply[], tls?: Tls): Promise<ScriptedServer> {
  const replies = [...script];
  const seen: ScriptedRequest[] = [];
  const connections = new Map<Socket, number>();
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = "", url = "", headers, socket } = request;
    const one = { method, path: url, headers, body: await text(request), connection: connections.get(socket) ?? -1 };
    seen.push(one);
    (replies.shift() ?? unexpectedRequest)(response, one);
  };
  const listen: RequestListener = (request, response) => void answer(request, response);
  const server = tls === undefined ? createServer(listen) : createSecureServer(secureOptions(tls), listen);
  server.on(tls === undefined ? "connection" : "secureConnection", (socket: Socket) => {
    connections.set(socket, connections.size);
    socket.on("error", () => undefined); // clients may disconnect at any time
  });
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    seen,
    [Symbol.asyncDispose]: async () => {
      for (const socket of connections.keys()) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function secureOptions({ certificate, key, clientAuthority }: Tls) {
  const client = clientAuthority === undefined ? {} : { ca: clientAuthority, requestCert: true };
  return { cert: certificate, key, ...client };
}

const unexpectedRequest: ScriptedReply = (response) => void response.writeHead(599).end();

/** Builds the responses of a scripted server. */
export const reply = {
  json:
    (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): ScriptedReply =>
    (response) =>
      void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body)),
  text:
    (status: number, body: string): ScriptedReply =>
    (response) =>
      void response.writeHead(status, { "content-type": "text/plain" }).end(body),
  reset: ((response) => response.socket?.resetAndDestroy()) satisfies ScriptedReply,
  stall: (() => undefined) satisfies ScriptedReply,
  /** Sends less than the Content-Length, then resets. */
  cut:
    (part: string): ScriptedReply =>
    (response) => {
      response.writeHead(200, {
        "content-type": "application/json",
        "content-length": `${Buffer.byteLength(part) + 100}`,
      });
      response.write(part, () => response.socket?.resetAndDestroy());
    },
  /** Sends part of a body, then nothing more. */
  freeze:
    (part: string): ScriptedReply =>
    (response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write(part);
    },
  /** Sends each piece in its own packet. */
  stream:
    (pieces: readonly (string | Buffer)[], ending: "end" | "reset" | "open"): ScriptedReply =>
    (response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.flushHeaders();
      void sendPieces(response, pieces, ending);
    },
};

async function sendPieces(
  response: ServerResponse,
  pieces: readonly (string | Buffer)[],
  ending: "end" | "reset" | "open",
) {
  for (const piece of pieces) {
    await new Promise((resolve) => response.write(piece, resolve));
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (ending === "end") response.end();
  if (ending === "reset") response.socket?.resetAndDestroy();
}
