// Polls for a state without vitest, for programs outside of tests.

import { setTimeout as wait } from "node:timers/promises";

/** A hang guard. A fault can cost the client's longest timeout (40 s for a write) more than once. */
const hangsAfterMs = 150_000;
const pollEveryMs = 10;

/** `check` returns the expected object, or a text that describes the current state. */
export async function waitFor<T extends object>(what: string, check: () => T | string): Promise<T> {
  const start = performance.now();
  for (;;) {
    const seen = check();
    if (typeof seen !== "string") return seen;
    if (performance.now() - start > hangsAfterMs)
      throw new Error(`waited ${hangsAfterMs / 1000} s for ${what}, but saw: ${seen}`);
    await wait(pollEveryMs);
  }
}
