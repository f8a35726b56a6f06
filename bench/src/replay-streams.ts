// The watch streams of a replay server. Each one reads the log from its own position, and can be broken on request.

import type { ServerResponse } from "node:http";
import type { ReplayLog } from "./replay-log.ts";

type Stream = {
  readonly response: ServerResponse;
  readonly gone: Promise<void>;
  next: number;
  isFrozen: boolean;
  isBusy: boolean;
};

type Break = { readonly at: number; readonly happened: () => void };

/** Sends this many events per packet, as a server that has fallen behind does. */
const packet = 50;

export class ReplayStreams {
  readonly #log: ReplayLog;
  readonly #streams = new Set<Stream>();
  #break: Break | undefined;

  constructor(log: ReplayLog) {
    this.#log = log;
  }

  add(response: ServerResponse, after: number, seconds: number): void {
    const closed = Promise.withResolvers<void>();
    const stream: Stream = { response, gone: closed.promise, next: after + 1, isFrozen: false, isBusy: false };
    this.#streams.add(stream);
    const timer = setTimeout(() => stream.isFrozen || response.end(), seconds * 1000);
    response.on("close", () => {
      clearTimeout(timer);
      this.#streams.delete(stream);
      closed.resolve();
    });
    void this.#pump(stream);
  }

  wake(): void {
    for (const stream of this.#streams) void this.#pump(stream);
  }

  breakAt(version: number): Promise<void> {
    return new Promise((happened) => {
      this.#break = { at: version, happened };
    });
  }

  freeze(): void {
    for (const stream of this.#streams) stream.isFrozen = true;
  }

  async #pump(stream: Stream): Promise<void> {
    if (stream.isBusy) return;
    stream.isBusy = true;
    while (stream.next <= this.#log.head && !stream.isFrozen && this.#streams.has(stream)) {
      if (stream.next === this.#break?.at) return this.#breakOff(stream, this.#break);
      const last = Math.min(
        this.#log.head,
        stream.next + packet - 1,
        (this.#break?.at ?? Number.POSITIVE_INFINITY) - 1,
      );
      const text = this.#log.frames(stream.next, last);
      stream.next = last + 1;
      if (!stream.response.write(text)) await Promise.race([drained(stream.response), stream.gone]);
    }
    stream.isBusy = false;
  }

  #breakOff({ response, next }: Stream, { happened }: Break): void {
    const line = this.#log.frames(next, next);
    this.#break = undefined;
    response.write(line.slice(0, line.length / 2), () => {
      // Closes without a TLS close_notify. (A reset below TLS leaves Node 24 spinning on the socket.)
      response.socket?.destroy();
      happened();
    });
  }
}

const drained = (response: ServerResponse) => new Promise<void>((resolve) => response.once("drain", resolve));
