// A sender that asks the breakers before each request and tells them how it went.

import type { Answer, Failed, Sender, Stream } from "../wire/client.ts";
import { isAboutServer } from "../wire/failure.ts";
import { writingOf } from "../wire/outcome.ts";
import type { Scope } from "../wire/request.ts";

/** One pass or one connection on its way past the breakers: see `Attempt`. */
export type Guard = {
  readonly isOpen: (scope: Scope) => boolean;
  readonly admit: (scope: Scope) => "go" | "wait";
  readonly answered: (scope: Scope) => void;
  readonly unavailable: (scope: Scope, trouble: { readonly message: string; readonly retryInMs?: number }) => void;
};

/** One breaker for the server itself: when nobody listens, it does not matter what we would have asked. */
const server: Scope = { access: "read", resource: "*" };

const parked: Failed = {
  kind: "failed",
  failure: {
    reason: "parked",
    message: "not sent: the API server has been unavailable for this, and is tried once a second",
  },
};

export function guarded(sender: Sender, guard: Guard): Sender {
  const watchOver = async <T extends Answer | Failed | Stream>(
    scope: Scope,
    send: () => Promise<T>,
  ): Promise<T | Failed> => {
    if (guard.admit(guard.isOpen(server) ? server : scope) === "wait") return parked;
    const answer = await send();
    tell(guard, scope, answer);
    return answer;
  };
  return {
    send: (request, sending) => watchOver(request.scope, () => sender.send(request, sending)),
    stream: (request, sending) => watchOver(request.scope, () => sender.stream(request, sending)),
  };
}

function tell(guard: Guard, scope: Scope, answer: Answer | Failed | Stream): void {
  if (answer.kind === "failed" && isAboutServer(answer.failure)) return guard.unavailable(server, answer.failure);
  // What we gave up ourselves, or did not send, says nothing about the server.
  const isOurs = answer.kind === "failed" && ["aborted", "fenced", "access", "parked"].includes(answer.failure.reason);
  if (isOurs) return;
  guard.answered(server);
  if (answer.kind === "streaming") return guard.answered(scope);
  const judged = writingOf(answer);
  if (judged.kind === "unavailable") guard.unavailable(scope, judged);
  else guard.answered(scope);
}
