// What can go wrong between us and the API server, as values. Unknown throwables become one of them here and nowhere else.

export type FailureReason =
  | "refused" // nobody listens
  | "unresolved" // no such host
  | "unreachable" // no connection came about
  | "reset" // the connection broke
  | "timeout" // no answer in time
  | "tls" // we do not trust the server, or it does not trust us
  | "cut" // the answer is not whole
  | "aborted" // we gave up ourselves
  | "fenced" // a write that must not leave any more
  | "parked" // not sent while the server is known to be down
  | "access"; // our credentials cannot be read

/** One line for people, and the reason for machines. */
export type Failure = { readonly reason: FailureReason; readonly message: string; readonly cause?: unknown };

/** It concerns the server as a whole, whatever was asked of it. */
export function isAboutServer({ reason }: Failure): boolean {
  return reason === "refused" || reason === "unresolved" || reason === "unreachable" || reason === "tls";
}

const byCode: Readonly<Record<string, FailureReason>> = {
  ECONNREFUSED: "refused",
  ENOTFOUND: "unresolved",
  EAI_AGAIN: "unresolved",
  ETIMEDOUT: "unreachable",
  EHOSTUNREACH: "unreachable",
  ENETUNREACH: "unreachable",
  ABORT_ERR: "aborted",
};

export function failureOf(error: unknown): Failure {
  const { code, message } =
    error instanceof Error ? (error as Error & { code?: string }) : { code: "", message: String(error) };
  if (error instanceof RangeError) return { reason: "cut", message, cause: error };
  if (code === "access") return { reason: "access", message, cause: error };
  const reason = byCode[code ?? ""] ?? (isTls(code ?? "") ? "tls" : "reset");
  return { reason, message, cause: error };
}

function isTls(code: string): boolean {
  return /CERT|SSL|TLS|ISSUER|VERIFY/.test(code);
}
