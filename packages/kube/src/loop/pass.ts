// One look at one key: what it gets, how it says that it ended, and how that is understood.

import type { Attempt } from "../breaker/attempt.ts";

/** `again`: at that wall time, in milliseconds; like `done` it forgets the key's failures. */
export type Ending =
  | { readonly kind: "done" }
  | { readonly kind: "again"; readonly atMs: number }
  | { readonly kind: "failed"; readonly retryInMs?: number };

/**
 * The signal ends it: after 60 s, when the gate closes, or when the process stops. The attempt goes to the client with
 * every request. A throw is a bug, unless the signal was aborted.
 */
export type Pass = (key: string, signal: AbortSignal, attempt: Attempt) => Promise<Ending>;

/**
 * `parked`: failed, and waits for its breaker instead of its backoff. `late`: threw when its 60 s were over.
 * `interrupted`: the gate closed or the process stops; whoever leads next looks at the key again.
 */
export type How = Ending["kind"] | "parked" | "threw" | "late" | "interrupted";

/** `cause` is what was thrown. */
export type PassReport = {
  readonly key: string;
  readonly how: How;
  readonly durationMs: number;
  readonly cause?: unknown;
};

export type Thrown = { readonly kind: "threw" | "late"; readonly cause: unknown };
export type Interrupted = { readonly kind: "interrupted" };

const tooLong = "TimeoutError";

export function timeIsUp(): DOMException {
  return new DOMException("the pass took too long", tooLong);
}

/** Never rejects. */
export async function runPass(
  ending: () => Promise<Ending>,
  signal: AbortSignal,
): Promise<Ending | Thrown | Interrupted> {
  const isInterrupted = () => signal.aborted && (signal.reason as Error).name !== tooLong;
  try {
    const said = await ending();
    return isInterrupted() ? { kind: "interrupted" } : said;
  } catch (cause) {
    if (isInterrupted()) return { kind: "interrupted" };
    return { kind: signal.aborted ? "late" : "threw", cause };
  }
}
