// The proxy's own connection to the API server: what is passed on, and how an answer is taken.

import { once } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Agent, request as send } from "node:https";
import { buffer } from "node:stream/consumers";
import type { Told } from "./status-answer.ts";

export type Asked = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

export type Upstream = {
  /** Settles with the head of the answer. */
  readonly ask: (asked: Asked) => Promise<IncomingMessage>;
  readonly close: () => void;
};

export function openUpstream(url: string, authority: string): Upstream {
  const agent = new Agent({ keepAlive: true, ca: authority });
  const ask = async ({ method, url: path, headers, body }: Asked) => {
    const outgoing = send(new URL(path, url), { method, agent, headers: passedOn(headers, body) });
    outgoing.end(body);
    const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
    return incoming;
  };
  return { ask, close: () => agent.destroy() };
}

export async function collect(incoming: IncomingMessage): Promise<Told> {
  const body = await buffer(incoming);
  const { headers } = answerHead(incoming);
  return { status: incoming.statusCode ?? 0, headers: { ...headers, "content-length": `${body.length}` }, body };
}

export function answerHead({ statusCode = 0, headers }: IncomingMessage) {
  return { status: statusCode, headers: withoutHops(headers) as Readonly<Record<string, string>> };
}

/** They speak of one connection, not of the message. */
const hops = ["connection", "keep-alive", "transfer-encoding", "content-length", "upgrade", "te", "trailer"];

function withoutHops(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hops.includes(name)));
}

function passedOn(headers: IncomingHttpHeaders, body: Buffer): IncomingHttpHeaders {
  const { host: _host, "accept-encoding": _encoding, accept, ...others } = withoutHops(headers);
  // Without a length Node sends a DELETE body in chunks, and the server then deletes without its preconditions.
  const sized = body.length > 0 ? { "content-length": `${body.length}` } : {};
  return { ...others, ...(accept !== undefined && { accept: jsonOnly(accept) }), ...sized };
}

/** Frames can be told apart, and answers cut in a known place, only in JSON. */
function jsonOnly(accept: string): string {
  const kept = accept.split(",").filter((type) => !type.trim().startsWith("application/vnd.kubernetes.protobuf"));
  return kept.length > 0 ? kept.join(",") : "application/json";
}
