// Waits for a state, in the tests and in the campaign's own programs, where vitest is not at hand.

import { setTimeout as wait } from "node:timers/promises";

/** A hang guard: a plan may cost the client's longest patience, 40 s for a write, and more than once. */
const hangsAfterMs = 150_000;
const pollEveryMs = 10;

/** `check` returns what was waited for, or a text that says what is there instead. */
export async function waitFor<T extends object>(what: string, check: () => T | string): Promise<T> {
  const start = performance.now();
  for (;;) {
    const seen = check();
    if (typeof seen !== "string") return seen;
    if (performance.now() - start > hangsAfterMs)
      throw new Error(`waited ${hangsAfterMs / 1000} s in vain for ${what}: ${seen}`);
    await wait(pollEveryMs);
  }
}
