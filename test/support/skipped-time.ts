// Advances a program's clocks, so that tests do not wait for its timers.

import { prepareClock } from "./clock-file.ts";
import type { RunningProgram } from "./program.ts";

export type SkippedTime = {
  readonly nodeFlags: readonly string[];
  /** Fires all due timers that were set for more than 20 seconds. */
  readonly skip: (program: Pick<RunningProgram, "pid">, seconds: number) => Promise<void>;
};

export async function prepareSkippedTime(folder: string): Promise<SkippedTime> {
  const { nodeFlags, setMs } = await prepareClock(folder, "skip-clock.mjs");
  let aheadMs = 0;
  return {
    nodeFlags,
    skip: async ({ pid }, seconds) => {
      aheadMs += seconds * 1000;
      await setMs(aheadMs);
      process.kill(pid, "SIGUSR2");
    },
  };
}
