// Routes requests, applies the access guard and turns errors into replies.

import type { IncomingMessage } from "node:http";
import type { AccessDecision, AccessGuard } from "./access-guard.ts";

/** The complete response to a request. */
export type RouteReply = {
  readonly status: number;
  readonly body: string | Uint8Array;
  /** Absent: plain text. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Excludes headers and body. */
export type RouteRequest = {
  readonly path: string;
  /** The decoded path after a route that ends in a slash, otherwise empty. */
  readonly rest: string;
  readonly query: URLSearchParams;
  readonly signal: AbortSignal;
};

/** An exception becomes a 500 reply without its message. */
export type Route = (asked: RouteRequest) => RouteReply | Promise<RouteReply>;

/** A path that ends in a slash matches everything below it. The longest match wins. */
export type Routes = Readonly<Record<string, Route>>;

export type RouteMatch = { readonly route: Route; readonly asked: Omit<RouteRequest, "signal"> };

type Request = Pick<IncomingMessage, "method" | "url" | "headers">;

/** Accepts only GET requests without a body. */
export function findRoute({ method, url = "", headers }: Request, routes: Routes): RouteMatch | RouteReply {
  if (method !== "GET") return { status: 405, body: "Method not allowed\n", headers: { allow: "GET" } };
  const length = headers["content-length"];
  if ((length !== undefined && length !== "0") || headers["transfer-encoding"] !== undefined) {
    return { status: 413, body: "Request body not allowed\n" };
  }
  const target = URL.parse(url, "http://any");
  if (target === null) return { status: 400, body: "Bad request\n" };
  const { pathname: path, searchParams: query } = target;
  const below = Object.keys(routes).filter((key) => key.endsWith("/") && path.startsWith(key) && path !== key);
  const key = Object.hasOwn(routes, path) ? path : below.reduce((a, b) => (b.length > a.length ? b : a), "");
  const rest = decoded(path.slice(key.length));
  const route = Object.hasOwn(routes, key) ? routes[key] : undefined;
  if (route === undefined || rest === undefined) return { status: 404, body: "Not found\n" };
  return { route, asked: { path, rest, query } };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

export type ServingObserver = {
  readonly warned: (message: string) => void;
  /** A route threw an exception, which is a bug. */
  readonly failed: (path: string, error: unknown) => void;
};

export type AnswerOptions = {
  readonly routes: Routes;
  /** Absent: all requests are allowed. */
  readonly guard?: AccessGuard;
  readonly observer: ServingObserver;
};

/** Returns a handler that never rejects. */
export function createAnswerer({ routes, guard, observer }: AnswerOptions) {
  const reportUnavailable = onChange(observer.warned);
  return async (request: IncomingMessage, signal: AbortSignal): Promise<RouteReply> => {
    const found = findRoute(request, routes);
    if ("status" in found) return found;
    const { path } = found.asked;
    try {
      const { authorization } = request.headers;
      const address = request.socket.remoteAddress ?? "";
      const decision = (await guard?.authorize({ authorization, path, address }, signal)) ?? { kind: "allowed" };
      reportUnavailable(decision.kind === "unavailable" ? decision.message : undefined);
      return refusalOf(decision) ?? (await found.route({ ...found.asked, signal }));
    } catch (error) {
      observer.failed(path, error);
      return { status: 500, body: "Internal error\n" };
    }
  };
}

function onChange(report: (message: string) => void): (message: string | undefined) => void {
  let last: string | undefined;
  return (message) => {
    if (message !== undefined && message !== last) report(message);
    last = message;
  };
}

function refusalOf(decision: AccessDecision): RouteReply | undefined {
  switch (decision.kind) {
    case "allowed":
      return undefined;
    case "unknown":
      return { status: 401, body: "Unauthorized\n", headers: { "www-authenticate": "Bearer" } };
    case "forbidden":
      return { status: 403, body: `Forbidden: ${decision.user} may not get ${decision.path}\n` };
    case "throttled": {
      const seconds = Math.ceil(decision.retryInMs / 1000);
      return { status: 429, body: "Too many requests\n", headers: { "retry-after": `${seconds}` } };
    }
    case "unavailable":
      return { status: 503, body: "Cannot reach the API server to check access\n", headers: { "retry-after": "1" } };
  }
}
