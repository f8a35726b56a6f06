// Whether a request comes from our own page on this machine: its Host, its Origin, what the browser says of its source, its cookie.

import type { IncomingMessage } from "node:http";

export type RequestRefusal = { readonly status: number; readonly why: string };

/** A name that points here by DNS rebinding is not one of these. */
function ownHosts(port: number): readonly string[] {
  return [`127.0.0.1:${port}`, `localhost:${port}`];
}

/** Undefined: it is from our page, or typed by a person. */
export function checkSource({ method = "", headers }: IncomingMessage, port: number): RequestRefusal | undefined {
  const { host = "", origin } = headers;
  if (!ownHosts(port).includes(host))
    return {
      status: 421,
      why: host === "" ? "the Host header is missing" : "the Host header does not name this server",
    };
  const isRead = method === "GET" || method === "HEAD";
  if (origin === undefined && !isRead)
    return { status: 403, why: "a request that changes something requires an Origin header" };
  if (origin !== undefined && origin !== `http://${host}`)
    return { status: 403, why: "the request comes from another origin" };
  const site = headers["sec-fetch-site"];
  const mode = headers["sec-fetch-mode"];
  const isOwn = site === undefined || site === "same-origin" || site === "none";
  // A link on another page may lead here, as to any page; it gets nothing without the cookie, which is not sent then.
  const isNavigation = isRead && mode === "navigate";
  return isOwn || isNavigation ? undefined : { status: 403, why: "the request comes from another site" };
}

/** By port, because cookies do not know ports. */
export function cookieName(port: number): string {
  return `virt-console-${port}`;
}

export function readCookie({ headers }: IncomingMessage, name: string): string | undefined {
  const cookies = (headers.cookie ?? "").split(";").map((pair) => pair.trim());
  return cookies.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** Only our own page can send it: it knows the key, and no other origin may set this header. */
export function readKey({ headers }: IncomingMessage): string | undefined {
  const sent = headers["x-virt-console-key"];
  return typeof sent === "string" ? sent : undefined;
}

/** Nothing runs that is not ours, nothing is asked of others, nobody frames us, nobody is told that we exist. */
export const securityHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; "),
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "x-dns-prefetch-control": "off",
};
