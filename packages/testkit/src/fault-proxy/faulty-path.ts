// The way of one request through the proxy: the fault that it is to suffer, or the plain way to the API server and back.

import type { ArmedPlans, Claim } from "./armed-plans.ts";
import { isWrite } from "./call.ts";
import { type Exchange, whenDone } from "./exchange.ts";
import type { FrameRules } from "./frame-rules.ts";
import type { FaultAfter } from "./plan.ts";
import type { OpenWatches } from "./relay.ts";
import { answerOf, failureAnswer, refusedStream, type Told } from "./status-answer.ts";
import type { Trace } from "./trace.ts";
import { collect, type Upstream } from "./upstream.ts";

export type Path = {
  readonly plans: ArmedPlans;
  readonly rules: FrameRules;
  readonly watches: OpenWatches;
  readonly trace: Trace;
  readonly upstream: Upstream;
  /** Settles when the client is dead. */
  readonly crash: () => Promise<void>;
  /** What must not happen in the proxy itself has happened. */
  readonly failed: (error: unknown) => void;
};

export async function serve(path: Path, exchange: Exchange): Promise<void> {
  const claim = path.plans.claim(exchange.call);
  if (claim === undefined) return forward(path, exchange);
  exchange.entry.fault = claim.fault.kind;
  await suffer(path, exchange, claim);
}

async function suffer(path: Path, exchange: Exchange, { fault, strikes }: Claim): Promise<void> {
  switch (fault.kind) {
    case "answer":
      return exchange.tell(answerOf(fault));
    case "reset":
      return exchange.reset();
    case "stall":
      return whenDone(exchange.over);
    case "crash-before":
      await path.crash();
      return exchange.reset();
    case "refuse-streaming-list":
      return refuse(path, exchange);
    case "silence-watches":
      return silence(path, exchange);
    case "treat-frames":
      path.rules.add(fault.of, fault.treatment);
      return forward(path, exchange);
    case "lose-answer":
    case "cut-answer":
    case "timeout-after-commit":
    case "crash-after-commit":
    case "crash-after-answer":
      return forward(path, exchange, { fault, strikes });
  }
}

async function refuse(path: Path, exchange: Exchange): Promise<void> {
  const isStreamingList = exchange.call.verb === "watch" && exchange.call.query["sendInitialEvents"] === "true";
  if (!isStreamingList) return forward(path, exchange);
  exchange.begin({ status: 200, headers: { "content-type": "application/json" } });
  await exchange.write(Buffer.from(refusedStream()));
  exchange.end();
}

async function silence(path: Path, exchange: Exchange): Promise<void> {
  if (exchange.call.verb === "watch") return watch(path, exchange, "silent");
  path.watches.silence();
  await forward(path, exchange);
}

/** The fault strikes when the answer is there. */
type Pending = { readonly fault: FaultAfter; readonly strikes: Claim["strikes"] };

async function forward(path: Path, exchange: Exchange, pending?: Pending): Promise<void> {
  if (exchange.call.verb === "watch") return watch(path, exchange, pending?.fault ?? "whole");
  const answer = await collect(await path.upstream.ask(exchange.asked));
  exchange.entry.status = answer.status;
  const isEffective = isWrite(exchange.call) && answer.status >= 200 && answer.status < 300;
  const isStruck = pending?.strikes(isEffective);
  if (isEffective) {
    path.trace.written(exchange.entry);
    path.plans.written(exchange.call);
  }
  if (pending !== undefined && isStruck === true) return distort(path, exchange, { answer, fault: pending.fault });
  if (isStruck === false) delete exchange.entry.fault;
  await exchange.tell(answer);
}

async function watch(path: Path, exchange: Exchange, manner: "whole" | "silent" | FaultAfter): Promise<void> {
  const incoming = await path.upstream.ask(exchange.asked);
  exchange.entry.status = incoming.statusCode ?? 0;
  if (incoming.statusCode !== 200) return exchange.tell(await collect(incoming));
  if (typeof manner === "string") return path.watches.relay(incoming, exchange, manner);
  if (manner.kind === "cut-answer") return path.watches.relay(incoming, exchange, "cut");
  incoming.destroy();
  const begun = { status: 200, headers: { "content-type": "application/json" }, body: Buffer.alloc(0) };
  await distort(path, exchange, { answer: begun, fault: manner });
}

type Answered = { readonly answer: Told; readonly fault: FaultAfter };

async function distort({ crash }: Path, exchange: Exchange, { answer, fault }: Answered): Promise<void> {
  switch (fault.kind) {
    case "lose-answer":
      return exchange.reset();
    case "cut-answer":
      return exchange.tellHalf(answer);
    case "timeout-after-commit":
      return exchange.tell(failureAnswer(504));
    case "crash-after-commit":
      await crash();
      return exchange.reset();
    case "crash-after-answer":
      await exchange.tell(answer);
      return crash();
  }
}
