// Checks that a request comes from our own page on this machine, by its Host, Origin, fetch metadata and cookie.

import type { IncomingMessage } from "node:http";

export type RequestRefusal = { readonly status: number; readonly why: string };

/** The accepted Host headers. In a DNS rebinding attack, the header contains another name. */
function ownHosts(port: number): readonly string[] {
  return [`127.0.0.1:${port}`, `localhost:${port}`];
}

/** Returns undefined if the request comes from our page or the address bar. */
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
  // Another site may link here. The browser then omits the cookie (SameSite=Strict), so the response contains no data.
  const isNavigation = isRead && mode === "navigate";
  return isOwn || isNavigation ? undefined : { status: 403, why: "the request comes from another site" };
}

/** The name includes the port because browsers share cookies between ports. */
export function cookieName(port: number): string {
  return `virt-console-${port}`;
}

export function readCookie({ headers }: IncomingMessage, name: string): string | undefined {
  const cookies = (headers.cookie ?? "").split(";").map((pair) => pair.trim());
  return cookies.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** Returns the key from the header. Only our page knows the key, and CORS keeps other origins from setting the header. */
export function readKey({ headers }: IncomingMessage): string | undefined {
  const sent = headers["x-virt-console-key"];
  return typeof sent === "string" ? sent : undefined;
}

/** Restricts pages to our own scripts and to connections to this server. Forbids framing and referrers. */
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
