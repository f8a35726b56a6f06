// Says of a client certificate when it expired, which is the most frequent reason for a 401 that nobody explains.

import { X509Certificate } from "node:crypto";

/** Undefined: it is still good, or nothing that we can read. */
export function expiredAt(pem: string, nowMs: number): string | undefined {
  try {
    const { validToDate } = new X509Certificate(pem);
    return validToDate.getTime() <= nowMs ? validToDate.toISOString() : undefined;
  } catch {
    return undefined; // the TLS handshake has said what is wrong with it
  }
}
