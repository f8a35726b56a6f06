// Streams the kinds of a page as JSON lines over one connection: browsers allow only six per host.

import type { ServerResponse } from "node:http";
import type { ApiReader } from "@virt/kube";
import { isWatchedName, type StreamLine } from "@virt/views";
import { followKind } from "./follow-kind.ts";

export type StreamParts = {
  readonly client: ApiReader;
  readonly signal: AbortSignal;
  readonly isSessionActive: () => boolean;
};

const aliveEveryMs = 5_000;
/** The server disconnects a page that has more unread bytes than this. The page then reconnects and lists again. */
const mostWaitingBytes = 64_000_000;

/** Streams until the page disconnects, the session ends or the server stops. */
export function streamKinds(query: URLSearchParams, parts: StreamParts, response: ServerResponse): void {
  const { client, signal, isSessionActive } = parts;
  const names = [...new Set(query.getAll("of"))];
  const known = names.filter(isWatchedName);
  if (known.length === 0 || known.length !== names.length || [...query.keys()].some((key) => key !== "of")) {
    response.writeHead(403, { "content-type": "text/plain; charset=utf-8" });
    response.end("The console does not allow this stream.\n");
    return;
  }
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const ended = AbortSignal.any([signal, gone.signal]);
  response.writeHead(200, { "content-type": "application/x-ndjson", "cache-control": "no-store" });
  const send = (line: StreamLine) => {
    if (ended.aborted) return;
    if (!isSessionActive()) {
      gone.abort();
      response.end();
      return;
    }
    response.write(`${JSON.stringify(line)}\n`);
    if (response.writableLength > mostWaitingBytes) response.destroy();
  };
  send({ type: "alive" });
  const pulse = setInterval(() => send({ type: "alive" }), aliveEveryMs);
  ended.addEventListener("abort", () => clearInterval(pulse), { once: true });
  for (const name of known) followKind(name, { sender: client, signal: ended, send }).catch(() => response.destroy());
}
