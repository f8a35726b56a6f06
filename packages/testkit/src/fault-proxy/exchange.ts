// One request on its way through the proxy, with what can be done to its client.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Call } from "./call.ts";
import type { Told } from "./status-answer.ts";
import type { Entry } from "./trace.ts";
import type { Asked } from "./upstream.ts";

export type Exchange = {
  readonly call: Call;
  readonly entry: Entry;
  readonly asked: Asked;
  /** Aborted when the client is gone or has its whole answer. */
  readonly over: AbortSignal;
  readonly tell: (told: Told) => Promise<void>;
  /** Half of an answer that promised to be whole, then a broken connection. */
  readonly tellHalf: (told: Told) => Promise<void>;
  /** The head of an answer without known length. */
  readonly begin: (head: Omit<Told, "body">) => void;
  readonly write: (bytes: Buffer) => Promise<void>;
  readonly end: () => void;
  readonly reset: () => void;
};

type Ends = { readonly request: IncomingMessage; readonly response: ServerResponse; readonly socket: Socket };

export function openExchange({ response, socket }: Ends, parts: Pick<Exchange, "call" | "entry" | "asked">): Exchange {
  const closed = new AbortController();
  response.once("close", () => closed.abort());
  const over = closed.signal;
  const begin = ({ status, headers }: Omit<Told, "body">) => {
    parts.entry.told = status;
    if (!over.aborted) response.writeHead(status, headers);
    response.flushHeaders();
  };
  // Its callback is never called when the client goes meanwhile.
  const write = (bytes: Buffer) => whenDone(over, (done) => response.write(bytes, () => done()));
  const reset = () => void socket.resetAndDestroy();
  return {
    ...parts,
    over,
    begin,
    write,
    reset,
    end: () => void response.end(),
    tell: async ({ body, ...head }) => {
      begin(head);
      await whenDone(over, (done) => response.end(body, () => done()));
    },
    tellHalf: async ({ body, ...head }) => {
      begin(head);
      await write(body.subarray(0, body.length >> 1));
      reset();
    },
  };
}

/** Settles when `start` says so, or when it is over anyway. */
export function whenDone(over: AbortSignal, start: (done: () => void) => void = () => undefined): Promise<void> {
  return new Promise((resolve) => {
    if (over.aborted) return resolve();
    const settle = () => {
      over.removeEventListener("abort", settle);
      resolve();
    };
    over.addEventListener("abort", settle);
    start(settle);
  });
}
