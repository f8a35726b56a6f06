// Time that passes for a program at once, so that a test does not wait for what the program waits for.

import { mkdtemp, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inRepository } from "@virt/testkit";
import type { RunningProgram } from "./program.ts";

export type SkippedTime = {
  /** For the program that is to skip time. */
  readonly nodeFlags: readonly string[];
  /** Timers of more than 20 seconds that are due by then fire. */
  readonly skip: (program: Pick<RunningProgram, "pid">, seconds: number) => Promise<void>;
};

export async function prepareSkippedTime(folder: string): Promise<SkippedTime> {
  const file = join(await mkdtemp(join(folder, "clock-")), "ahead");
  let aheadMs = 0;
  const store = async () => {
    await writeFile(`${file}.next`, String(aheadMs));
    await rename(`${file}.next`, file); // never seen empty, which would be no time at all
  };
  await store();
  const preload = `file://${inRepository("test", "fixtures", "skip-clock.mjs")}?file=${encodeURIComponent(file)}`;
  return {
    nodeFlags: ["--import", preload],
    skip: async ({ pid }, seconds) => {
      aheadMs += seconds * 1000;
      await store();
      process.kill(pid, "SIGUSR2");
    },
  };
}
