// Reads the addresses that servers bind to, in the form of Go's programs.

import { isIPv6 } from "node:net";

/** No host means every address of the machine, by IPv4 and IPv6. */
export type Endpoint = { readonly host?: string; readonly port: number };

export type BindAddress =
  | { readonly kind: "off" }
  | { readonly kind: "at"; readonly endpoint: Endpoint }
  | { readonly kind: "bad"; readonly problem: string };

/** `:8081`, `127.0.0.1:8083`, `[::1]:9`, `localhost:0` (any free port); `0` is off. Named ports are not known. */
export function parseBindAddress(text: string): BindAddress {
  if (text === "0") return { kind: "off" };
  const bad = (problem: string) =>
    ({ kind: "bad", problem: `"${text}" is no address to listen on: ${problem}` }) as const;
  const [, bracketed, plain, digits] = /^(?:\[([^[\]]*)\]|([^:[\]]*)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined) return bad("expected host:port, :port, [IPv6]:port or 0");
  if (port > 65_535) return bad(`there is no port ${port}`);
  if (bracketed !== undefined && !isIPv6(bracketed)) return bad(`"${bracketed}" is no IPv6 address`);
  const host = bracketed ?? plain ?? "";
  if (/\s/.test(host)) return bad("it has a space in it");
  return { kind: "at", endpoint: host === "" ? { port } : { host, port } };
}

export function formatEndpoint({ host = "", port }: Endpoint): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
