// Waiting, where the length of the wait is the subject, or until a state is reached.

import { setTimeout as after } from "node:timers/promises";

export const pause = (ms: number): Promise<void> => after(ms);

/** The longest that something else is waited for; it keeps no process alive. */
export const patience = (ms: number): Promise<void> => after(ms, undefined, { ref: false });

/** Polls every few milliseconds; gives up after `limitMs`, which means "hung", and says what it waited for. */
export async function until(what: string, limitMs: number, isTrue: () => Promise<boolean>): Promise<void> {
  const start = performance.now();
  while (!(await isTrue())) {
    if (performance.now() - start > limitMs) throw new Error(`waited ${limitMs / 1000} s in vain: ${what}`);
    await pause(10);
  }
}

/** What `work` took, in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
