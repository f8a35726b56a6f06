// Believes a rejection only when it came three times in a row, some seconds apart: webhooks and rights come and go.

const times = 3;
const apartMs = 5_000;

export type Judged =
  | { readonly kind: "rejected"; readonly message: string }
  | { readonly kind: "unavailable"; readonly message: string; readonly retryInMs: number };

export class Rejections {
  readonly #seen = new Map<string, { readonly count: number; readonly lastMs: number }>();

  judge(what: string, message: string, nowMs: number): Judged {
    const before = this.#seen.get(what);
    const isEarly = before !== undefined && nowMs - before.lastMs < apartMs;
    const count = (before?.count ?? 0) + (isEarly ? 0 : 1);
    const last = isEarly ? before.lastMs : nowMs;
    this.#seen.set(what, { count, lastMs: last });
    if (count >= times) return { kind: "rejected", message };
    return { kind: "unavailable", message, retryInMs: last + apartMs - nowMs };
  }

  /** Something else was answered, or nobody asks any more. */
  forget(what: string): void {
    this.#seen.delete(what);
  }
}
