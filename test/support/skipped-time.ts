// Advances a program's clocks, so that tests do not wait for its timers.

import { mkdtemp, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inRepository } from "@virt/testkit";
import type { RunningProgram } from "./program.ts";

export type SkippedTime = {
  readonly nodeFlags: readonly string[];
  /** Fires all due timers that were set for more than 20 seconds. */
  readonly skip: (program: Pick<RunningProgram, "pid">, seconds: number) => Promise<void>;
};

export async function prepareSkippedTime(folder: string): Promise<SkippedTime> {
  const file = join(await mkdtemp(join(folder, "clock-")), "ahead");
  let aheadMs = 0;
  const store = async () => {
    await writeFile(`${file}.next`, String(aheadMs));
    await rename(`${file}.next`, file); // atomic: an empty file would mean no skipped time
  };
  await store();
  const preload = `file://${inRepository("test", "support", "preloads", "skip-clock.mjs")}?file=${encodeURIComponent(file)}`;
  return {
    nodeFlags: ["--import", preload],
    skip: async ({ pid }, seconds) => {
      aheadMs += seconds * 1000;
      await store();
      process.kill(pid, "SIGUSR2");
    },
  };
}
