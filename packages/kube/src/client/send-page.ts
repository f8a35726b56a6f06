// Sends the request for one page of a list, with fewer objects when the answer is too large.

import type { ApiAnswer, FailedRequest, Sender } from "./client.ts";

/** The size of the next page; it shrinks for the rest of a list whose objects are large. */
export type PageSize = { current: number };

/** Asks for an eighth of the objects until the answer fits, down to a single object. */
export async function sendPage(
  request: (limit: number) => Parameters<Sender["send"]>[0],
  size: PageSize,
  { sender, signal }: { readonly sender: Sender; readonly signal: AbortSignal },
): Promise<ApiAnswer | FailedRequest> {
  for (;;) {
    const answer = await sender.send(request(size.current), { signal, mostBytes: pageBytes });
    if (!isPageTooLarge(answer) || size.current === 1) return answer;
    size.current = Math.floor(size.current / 8) || 1;
  }
}

/** A page of objects of usual size takes less. Larger answers hold up everything else while they are read. */
const pageBytes = 8_000_000;

/** Reports whether the answer was given up because of its size. */
export function isPageTooLarge(answer: ApiAnswer | FailedRequest): boolean {
  return answer.kind === "failed" && answer.failure.reason === "too large";
}
