// A client that asks the circuit breakers before each request and reports each result.

import {
  type ApiAnswer,
  type ApiReader,
  type ApiStream,
  type ApiWriter,
  type FailedRequest,
  type RequestWrapper,
  wrapClient,
} from "../client/api-client.ts";
import { isAboutServer, writeResultOf } from "../client/outcome.ts";
import type { BreakerScope } from "../client/request.ts";
import type { Breakers, GuardedAttempt } from "./breaker.ts";

export type RequestGuard = Pick<GuardedAttempt, "isOpen" | "admit" | "answered" | "unavailable">;

/** The circuit of the whole server. While it is open, it applies to every request. */
const server: BreakerScope = { access: "read", resource: "*" };

const parked: FailedRequest = {
  kind: "failed",
  failure: {
    reason: "parked",
    message: "not sent: circuit breaker is open, the API server is probed once a second",
  },
};

/** Guards the requests of one reconcile or one connection. */
export function guardClient(client: ApiWriter, guard: RequestGuard): ApiWriter;
export function guardClient(client: ApiReader, guard: RequestGuard): ApiReader;
export function guardClient(client: ApiReader, guard: RequestGuard): ApiReader {
  return wrapClient(client, guardedBy(guard));
}

/** Guards requests outside of reconciles. Each is a separate attempt, and none is a probe. */
export function guardEachRequest(client: ApiReader, breakers: Breakers, caller: string): ApiReader {
  let count = 0;
  return wrapClient(client, async (request, send) => {
    const attempt = breakers.begin(`${caller} ${count++}`);
    try {
      return await guardedBy(attempt)(request, send);
    } finally {
      attempt.end();
    }
  });
}

function guardedBy(guard: RequestGuard): RequestWrapper {
  return async ({ scope }, send) => {
    if (guard.admit(guard.isOpen(server) ? server : scope) === "wait") return parked;
    const answer = await send();
    reportAnswer(guard, scope, answer);
    return answer;
  };
}

function reportAnswer(guard: RequestGuard, scope: BreakerScope, answer: ApiAnswer | FailedRequest | ApiStream): void {
  if (answer.kind === "failed" && isAboutServer(answer.failure)) return guard.unavailable(server, answer.failure);
  // A request that this process cancelled or did not send reveals nothing about the server's state.
  const isOurs = answer.kind === "failed" && ["aborted", "fenced", "access", "parked"].includes(answer.failure.reason);
  if (isOurs) return;
  guard.answered(server);
  // A response that is too large shows that the server is working. The next request asks for a smaller page.
  const isTooLarge = answer.kind === "failed" && answer.failure.reason === "too large";
  if (answer.kind === "streaming" || isTooLarge) return guard.answered(scope);
  const result = writeResultOf(answer);
  if (result.kind === "unavailable") guard.unavailable(scope, result);
  else guard.answered(scope);
}
