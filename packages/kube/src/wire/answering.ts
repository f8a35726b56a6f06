// Answers one request: finds its route, asks the guard, and survives routes that throw.

import type { IncomingMessage } from "node:http";
import type { AccessGuard, Judgement } from "../serving/access-guard.ts";
import { findRoute, type Reply, type Routes } from "../serving/routes.ts";

/** What people should know of; none of it ends a server. */
export type ServingObserver = {
  readonly told: (message: string) => void;
  /** A route threw, which is a bug. */
  readonly failed: (path: string, error: unknown) => void;
};

export type Answering = {
  readonly routes: Routes;
  /** Absent: everybody is let in. */
  readonly guard?: AccessGuard;
  readonly observer: ServingObserver;
};

/** What it returns never rejects. */
export function answerer({ routes, guard, observer }: Answering) {
  const tellTrouble = onChange(observer.told);
  return async (request: IncomingMessage, signal: AbortSignal): Promise<Reply> => {
    const found = findRoute(request, routes);
    if ("status" in found) return found;
    const { path } = found.asked;
    try {
      const { authorization } = request.headers;
      const address = request.socket.remoteAddress ?? "";
      const judgement = (await guard?.judge({ authorization, path, address }, signal)) ?? { kind: "allowed" };
      tellTrouble(judgement.kind === "unavailable" ? judgement.message : undefined);
      return refusalOf(judgement) ?? (await found.route({ ...found.asked, signal }));
    } catch (error) {
      observer.failed(path, error);
      return { status: 500, body: "Internal error\n" };
    }
  };
}

/** Tells a message when it begins to hold, not each time. */
function onChange(tell: (message: string) => void): (message: string | undefined) => void {
  let last: string | undefined;
  return (message) => {
    if (message !== undefined && message !== last) tell(message);
    last = message;
  };
}

function refusalOf(judgement: Judgement): Reply | undefined {
  switch (judgement.kind) {
    case "allowed":
      return undefined;
    case "unknown":
      return { status: 401, body: "Unauthorized\n", headers: { "www-authenticate": "Bearer" } };
    case "forbidden":
      return { status: 403, body: `Forbidden: ${judgement.user} may not get ${judgement.path}\n` };
    case "throttled": {
      const seconds = Math.ceil(judgement.retryInMs / 1000);
      return { status: 429, body: "Too many requests\n", headers: { "retry-after": `${seconds}` } };
    }
    case "unavailable":
      return { status: 503, body: "The API server cannot be asked\n", headers: { "retry-after": "1" } };
  }
}
