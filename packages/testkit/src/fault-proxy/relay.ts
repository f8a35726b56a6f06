// Passes a watch stream on, frame by frame, as the rules of the moment say.

import type { IncomingMessage } from "node:http";
import { type Exchange, whenDone } from "./exchange.ts";
import type { FrameRules } from "./frame-rules.ts";
import { linesOf } from "./lines.ts";
import { answerHead } from "./upstream.ts";

/** The watches that are open now. */
export class OpenWatches {
  readonly #open = new Set<{ isSilent: boolean }>();
  readonly #rules: FrameRules;

  constructor(rules: FrameRules) {
    this.#rules = rules;
  }

  silence(): void {
    for (const watch of this.#open) watch.isSilent = true;
  }

  /** "cut" breaks the connection in the middle of the first frame. Settles when the stream has ended on either side. */
  async relay(incoming: IncomingMessage, exchange: Exchange, manner: "whole" | "silent" | "cut"): Promise<void> {
    const watch = { isSilent: manner === "silent" };
    this.#open.add(watch);
    exchange.over.addEventListener("abort", () => void incoming.destroy());
    try {
      exchange.begin(answerHead(incoming));
      for await (const line of linesOf(incoming)) {
        if (manner === "cut") return await breakIn(exchange, line);
        await this.#pass(line, exchange, watch);
      }
      if (watch.isSilent) await whenDone(exchange.over);
      exchange.end();
    } finally {
      this.#open.delete(watch);
    }
  }

  async #pass(line: Buffer, exchange: Exchange, watch: { isSilent: boolean }): Promise<void> {
    const { copies, after } = this.#rules.passageOf(exchange.call, line);
    if (after !== undefined) await Promise.race([after, whenDone(exchange.over)]);
    for (let copy = 0; copy < copies && !watch.isSilent; copy++) await exchange.write(line); // oxlint-disable-line no-await-in-loop -- in order
  }
}

async function breakIn(exchange: Exchange, line: Buffer): Promise<void> {
  await exchange.write(line.subarray(0, line.length >> 1));
  exchange.reset();
}
