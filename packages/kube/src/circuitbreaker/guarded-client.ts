// A client that asks the circuit breakers before each request and reports each answer to them.

import {
  type ApiAnswer,
  type ApiClient,
  type ApiStream,
  type FailedRequest,
  type Sender,
  type Writer,
  writerFor,
} from "../client/client.ts";
import { isAboutServer, writeResultOf } from "../client/outcome.ts";
import type { BreakerScope } from "../client/request.ts";
import type { WriteGate } from "../leaderelection/write-fence.ts";
import type { Breakers } from "./breaker.ts";

export type GuardedClient<S extends Sender = Sender> = {
  /** Before each connection. */
  readonly begin: () => ApiCall<S>;
  /** Nobody waits here any more. */
  readonly withdraw: () => void;
};

export type ApiCall<S extends Sender = Sender> = {
  readonly sender: S;
  /** True: `wake` is called when another attempt is worth while. False: use your own backoff. Ends the call. */
  readonly park: (wake: () => void) => boolean;
  readonly end: () => void;
};

/** `name` is unique in the process. */
export function createGuardedClient(client: ApiClient, breakers: Breakers, name: string): GuardedClient<ApiClient> {
  return {
    begin: () => {
      const attempt = breakers.begin(name);
      return { sender: guardClient(client, attempt), park: (wake) => attempt.park(wake), end: () => attempt.end() };
    },
    withdraw: () => breakers.withdraw(name),
  };
}

/** The same line for whoever writes under this gate. */
export function gateClient(line: GuardedClient<ApiClient>, gate: WriteGate): GuardedClient<Writer> {
  return {
    begin: () => {
      const call = line.begin();
      return { ...call, sender: writerFor(call.sender, gate) };
    },
    withdraw: line.withdraw,
  };
}

/** A line without breakers, for whoever makes few requests. */
export function createDirectClient<S extends Sender>(sender: S): GuardedClient<S> {
  return { begin: () => ({ sender, park: () => false, end: () => undefined }), withdraw: () => undefined };
}

/** For requests that belong to nobody's reconcile: each is an attempt of its own, and none of them is worth a trial. */
export function createDetachedSender(client: ApiClient, breakers: Breakers, name: string): Sender {
  let count = 0;
  const attempt = async <T>(send: (sender: Sender) => Promise<T>): Promise<T> => {
    const one = breakers.begin(`${name} ${count++}`);
    try {
      return await send(guardClient(client, one));
    } finally {
      one.end();
    }
  };
  return {
    send: (request, sending) => attempt((sender) => sender.send(request, sending)),
    stream: (request, sending) => attempt((sender) => sender.stream(request, sending)),
  };
}

/** One reconcile or one connection on its way past the breakers: see `Attempt`. */
export type RequestGuard = {
  readonly isOpen: (scope: BreakerScope) => boolean;
  readonly admit: (scope: BreakerScope) => "go" | "wait";
  readonly answered: (scope: BreakerScope) => void;
  readonly unavailable: (
    scope: BreakerScope,
    answer: { readonly message: string; readonly retryInMs?: number },
  ) => void;
};

/** One breaker for the server itself: while it is down, it does not matter what we would have asked. */
const server: BreakerScope = { access: "read", resource: "*" };

const parked: FailedRequest = {
  kind: "failed",
  failure: {
    reason: "parked",
    message: "not sent: circuit breaker is open, the API server is probed once a second",
  },
};

export function guardClient(client: ApiClient, guard: RequestGuard): ApiClient {
  const watchOver = async <T extends ApiAnswer | FailedRequest | ApiStream>(
    scope: BreakerScope,
    send: () => Promise<T>,
  ): Promise<T | FailedRequest> => {
    if (guard.admit(guard.isOpen(server) ? server : scope) === "wait") return parked;
    const answer = await send();
    reportAnswer(guard, scope, answer);
    return answer;
  };
  return {
    send: (request, sending) => watchOver(request.scope, () => client.send(request, sending)),
    stream: (request, sending) => watchOver(request.scope, () => client.stream(request, sending)),
    write: (request, gate, sending) => watchOver(request.scope, () => client.write(request, gate, sending)),
  };
}

function reportAnswer(guard: RequestGuard, scope: BreakerScope, answer: ApiAnswer | FailedRequest | ApiStream): void {
  if (answer.kind === "failed" && isAboutServer(answer.failure)) return guard.unavailable(server, answer.failure);
  // What we gave up ourselves, or did not send, says nothing about the server.
  const isOurs = answer.kind === "failed" && ["aborted", "fenced", "access", "parked"].includes(answer.failure.reason);
  if (isOurs) return;
  guard.answered(server);
  // An answer that is larger than we read: a server that sends it works, and a smaller page is asked for next.
  const isTooLarge = answer.kind === "failed" && answer.failure.reason === "too large";
  if (answer.kind === "streaming" || isTooLarge) return guard.answered(scope);
  const result = writeResultOf(answer);
  if (result.kind === "unavailable") guard.unavailable(scope, result);
  else guard.answered(scope);
}
