// Relays watch streams frame by frame. Rules delay, drop or duplicate frames.

import type { IncomingMessage } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { type ProxyExchange, responseHead, whenDone } from "./exchange.ts";
import type { FrameMatcher, FrameTreatment } from "./fault-plan.ts";
import type { RequestInfo } from "./request-info.ts";

export class OpenWatches {
  readonly #open = new Set<{ isSilent: boolean }>();
  readonly #rules: FrameRules;

  constructor(rules: FrameRules) {
    this.#rules = rules;
  }

  silence(): void {
    for (const watch of this.#open) watch.isSilent = true;
  }

  /** Resolves when either side has ended the stream. "cut" resets it in the middle of the first frame. */
  async relay(incoming: IncomingMessage, exchange: ProxyExchange, mode: "whole" | "silent" | "cut"): Promise<void> {
    const watch = { isSilent: mode === "silent" };
    this.#open.add(watch);
    exchange.closed.addEventListener("abort", () => void incoming.destroy());
    try {
      exchange.startResponse(responseHead(incoming));
      for await (const line of splitLines(incoming)) {
        if (mode === "cut") return await cutFrame(exchange, line);
        await this.#relayFrame(line, exchange, watch);
      }
      if (watch.isSilent) await whenDone(exchange.closed);
      exchange.end();
    } finally {
      this.#open.delete(watch);
    }
  }

  async #relayFrame(line: Buffer, exchange: ProxyExchange, watch: { isSilent: boolean }): Promise<void> {
    const { copies, after } = this.#rules.deliveryOf(exchange.request, line);
    if (after !== undefined) await Promise.race([after, whenDone(exchange.closed)]);
    for (let copy = 0; copy < copies && !watch.isSilent; copy++) await exchange.write(line); // oxlint-disable-line no-await-in-loop -- in order
  }
}

async function cutFrame(exchange: ProxyExchange, line: Buffer): Promise<void> {
  await exchange.write(line.subarray(0, line.length >> 1));
  exchange.reset();
}

/** `after` must resolve before the frame is sent. */
type FrameDelivery = { readonly copies: 0 | 1 | 2; readonly after?: Promise<void> };

type FrameRule = {
  readonly of: FrameMatcher;
  readonly treatment: FrameTreatment;
  readonly released: PromiseWithResolvers<void>;
  left: number;
};

export class FrameRules {
  readonly #rules = new Set<FrameRule>();

  add(of: FrameMatcher, treatment: FrameTreatment): void {
    const left = "count" in treatment ? treatment.count : Number.POSITIVE_INFINITY;
    const rule = { of, treatment, left, released: Promise.withResolvers<void>() };
    this.#rules.add(rule);
    const { forMs } = { forMs: undefined, ...treatment };
    if (forMs !== undefined) setTimeout(() => this.#release(rule), forMs).unref();
  }

  /** Also releases held frames. */
  clear(): void {
    for (const rule of this.#rules) this.#release(rule);
  }

  deliveryOf(request: RequestInfo, line: Buffer): FrameDelivery {
    const rule = [...this.#rules].find(({ of, left }) => left > 0 && matchesFrame(of, request, line));
    if (rule === undefined) return { copies: 1 };
    rule.left--;
    switch (rule.treatment.do) {
      case "hold":
        return { copies: 1, after: rule.released.promise };
      case "delay":
        return { copies: 1, after: wait(rule.treatment.ms) };
      case "drop":
        return { copies: 0 };
      case "duplicate":
        return { copies: 2 };
    }
  }

  #release(rule: FrameRule): void {
    this.#rules.delete(rule);
    rule.released.resolve();
  }
}

function matchesFrame({ resource, namespace, name }: FrameMatcher, request: RequestInfo, line: Buffer): boolean {
  if (resource !== undefined && resource !== request.resource) return false;
  if (name === undefined && namespace === undefined) return true;
  const { object } = JSON.parse(line.toString()) as { object?: { metadata?: { namespace?: string; name?: string } } };
  const { metadata = {} } = object ?? {};
  return (
    (name === undefined || metadata.name === name) && (namespace === undefined || metadata.namespace === namespace)
  );
}

/** Splits bytes instead of text, so that a character in two packets stays whole. Lines keep their newline. */
export async function* splitLines(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  for await (const piece of stream) {
    let start = 0;
    for (let end = piece.indexOf(0x0a); end >= 0; end = piece.indexOf(0x0a, start)) {
      yield Buffer.concat([...parts, piece.subarray(start, end + 1)]);
      parts = [];
      start = end + 1;
    }
    if (start < piece.length) parts.push(piece.subarray(start));
  }
  if (parts.length > 0) yield Buffer.concat(parts);
}
