import { setTimeout as after } from "node:timers/promises";

export const pause = (ms: number): Promise<void> => after(ms);

/** Resolves after `ms` milliseconds. Does not keep the process alive. */
export const patience = (ms: number): Promise<void> => after(ms, undefined, { ref: false });

/** Polls every few milliseconds. After `limitMs`, throws an error that names the missing condition. */
export async function until(what: string, limitMs: number, isTrue: () => Promise<boolean>): Promise<void> {
  const start = performance.now();
  while (!(await isTrue())) {
    if (performance.now() - start > limitMs) throw new Error(`waited ${limitMs / 1000} s without success: ${what}`);
    await pause(10);
  }
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
