// Waits for a state, in the tests and in the campaign's own programs, where vitest is not at hand.

import { setTimeout as wait } from "node:timers/promises";

/** A hang guard: a plan may cost the client's longest patience, 40 s for a write, and more than once. */
const hangsAfterMs = 150_000;
const lookEveryMs = 10;

/** `look` returns what was waited for, or a text that says what is there instead. */
export async function until<T extends object>(what: string, look: () => T | string): Promise<T> {
  const start = performance.now();
  for (;;) {
    const seen = look();
    if (typeof seen !== "string") return seen;
    if (performance.now() - start > hangsAfterMs)
      throw new Error(`waited ${hangsAfterMs / 1000} s in vain for ${what}: ${seen}`);
    await wait(lookEveryMs);
  }
}
