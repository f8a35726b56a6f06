// Injects the fault of an armed plan into a request, or forwards it.

import {
  failureResponse,
  type ProxyExchange,
  type ProxyResponse,
  readResponse,
  responseForFault,
  streamingListRefusal,
  type Upstream,
  whenDone,
} from "./exchange.ts";
import type { ArmedPlans, ClaimedFault, FaultAfter } from "./fault-plan.ts";
import { isWrite, type Trace } from "./request-info.ts";
import type { FrameRules, OpenWatches } from "./watch-frames.ts";

export type ProxyState = {
  readonly plans: ArmedPlans;
  readonly rules: FrameRules;
  readonly watches: OpenWatches;
  readonly trace: Trace;
  readonly upstream: Upstream;
  /** Resolves when the client is dead. */
  readonly crash: () => Promise<void>;
  /** Reports a failure of the proxy itself. */
  readonly failed: (error: unknown) => void;
};

export async function serveRequest(proxy: ProxyState, exchange: ProxyExchange): Promise<void> {
  const claim = proxy.plans.claim(exchange.request);
  if (claim === undefined) return forwardRequest(proxy, exchange);
  exchange.entry.fault = claim.fault.kind;
  await injectFault(proxy, exchange, claim);
}

async function injectFault(
  proxy: ProxyState,
  exchange: ProxyExchange,
  { fault, strikes }: ClaimedFault,
): Promise<void> {
  switch (fault.kind) {
    case "answer":
      return exchange.respond(responseForFault(fault));
    case "reset":
      return exchange.reset();
    case "stall":
      return whenDone(exchange.closed);
    case "crash-before":
      await proxy.crash();
      return exchange.reset();
    case "hold-request":
      await proxy.plans.untilDisarmed();
      return forwardRequest(proxy, exchange);
    case "refuse-streaming-list":
      return refuseStreamingList(proxy, exchange);
    case "silence-watches":
      return silenceWatches(proxy, exchange);
    case "treat-frames":
      proxy.rules.add(fault.of, fault.treatment);
      return forwardRequest(proxy, exchange);
    case "lose-answer":
    case "cut-answer":
    case "timeout-after-commit":
    case "crash-after-commit":
    case "crash-after-answer":
      return forwardRequest(proxy, exchange, { fault, strikes });
  }
}

async function refuseStreamingList(proxy: ProxyState, exchange: ProxyExchange): Promise<void> {
  const isStreamingList = exchange.request.verb === "watch" && exchange.request.query["sendInitialEvents"] === "true";
  if (!isStreamingList) return forwardRequest(proxy, exchange);
  exchange.startResponse({ status: 200, headers: { "content-type": "application/json" } });
  await exchange.write(Buffer.from(streamingListRefusal()));
  exchange.end();
}

async function silenceWatches(proxy: ProxyState, exchange: ProxyExchange): Promise<void> {
  if (exchange.request.verb === "watch") return relayWatch(proxy, exchange, "silent");
  proxy.watches.silence();
  await forwardRequest(proxy, exchange);
}

type PendingFault = { readonly fault: FaultAfter; readonly strikes: ClaimedFault["strikes"] };

async function forwardRequest(proxy: ProxyState, exchange: ProxyExchange, pending?: PendingFault): Promise<void> {
  if (exchange.request.verb === "watch") return relayWatch(proxy, exchange, pending?.fault ?? "whole");
  const answer = await readResponse(await proxy.upstream.send(exchange.upstreamRequest));
  exchange.entry.status = answer.status;
  const isEffective = isWrite(exchange.request) && answer.status >= 200 && answer.status < 300;
  const isStruck = pending?.strikes(isEffective);
  if (isEffective) {
    proxy.trace.recordWrite(exchange.entry);
    proxy.plans.recordWrite(exchange.request);
  }
  if (pending !== undefined && isStruck === true)
    return breakResponse(proxy, exchange, { answer, fault: pending.fault });
  if (isStruck === false) delete exchange.entry.fault;
  await exchange.respond(answer);
}

async function relayWatch(
  proxy: ProxyState,
  exchange: ProxyExchange,
  mode: "whole" | "silent" | FaultAfter,
): Promise<void> {
  const incoming = await proxy.upstream.send(exchange.upstreamRequest);
  exchange.entry.status = incoming.statusCode ?? 0;
  if (incoming.statusCode !== 200) return exchange.respond(await readResponse(incoming));
  if (typeof mode === "string") return proxy.watches.relay(incoming, exchange, mode);
  if (mode.kind === "cut-answer") return proxy.watches.relay(incoming, exchange, "cut");
  incoming.destroy();
  const empty = { status: 200, headers: { "content-type": "application/json" }, body: Buffer.alloc(0) };
  await breakResponse(proxy, exchange, { answer: empty, fault: mode });
}

type BrokenResponse = { readonly answer: ProxyResponse; readonly fault: FaultAfter };

async function breakResponse(
  { crash }: ProxyState,
  exchange: ProxyExchange,
  { answer, fault }: BrokenResponse,
): Promise<void> {
  switch (fault.kind) {
    case "lose-answer":
      return exchange.reset();
    case "cut-answer":
      return exchange.respondHalf(answer);
    case "timeout-after-commit":
      return exchange.respond(failureResponse(504));
    case "crash-after-commit":
      await crash();
      return exchange.reset();
    case "crash-after-answer":
      await exchange.respond(answer);
      return crash();
  }
}
