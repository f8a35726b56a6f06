// Finds out what a request wants, and answers what needs no look at its content.

import type { IncomingMessage } from "node:http";

export type Reply = {
  readonly status: number;
  readonly body: string;
  /** Plain text, unless said otherwise. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

export type Asked = {
  readonly path: string;
  /** What follows a route that ends in a slash, decoded; else empty. */
  readonly rest: string;
  readonly query: URLSearchParams;
  /** Aborted when the server closes. */
  readonly signal: AbortSignal;
};

export type Route = (asked: Asked) => Reply | Promise<Reply>;

/** By path. One that ends in a slash takes all that is below it; the longest wins. */
export type Routes = Readonly<Record<string, Route>>;

export type Found = { readonly route: Route; readonly asked: Omit<Asked, "signal"> };

type Request = Pick<IncomingMessage, "method" | "url" | "headers">;

/** GET only, and without a body: nothing here takes one. */
export function findRoute({ method, url = "", headers }: Request, routes: Routes): Found | Reply {
  if (method !== "GET") return { status: 405, body: "Method not allowed\n", headers: { allow: "GET" } };
  const length = headers["content-length"];
  if ((length !== undefined && length !== "0") || headers["transfer-encoding"] !== undefined) {
    return { status: 413, body: "No body, please\n" };
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
    return undefined; // % and something that is no code
  }
}
