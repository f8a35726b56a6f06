// Lets a test shift the clock of a program through a file that a preload reads.

import { mkdtemp, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inRepository } from "@virt/testkit";

export type ClockFile = { readonly nodeFlags: readonly string[]; readonly setMs: (offsetMs: number) => Promise<void> };

/** `preload` is a file of `test/support/preloads`. */
export async function prepareClock(folder: string, preload: string): Promise<ClockFile> {
  const file = join(await mkdtemp(join(folder, "clock-")), "offset");
  const setMs = async (offsetMs: number) => {
    await writeFile(`${file}.next`, String(offsetMs));
    await rename(`${file}.next`, file); // atomic: an empty file would mean no offset
  };
  await setMs(0);
  const url = `file://${inRepository("test", "support", "preloads", preload)}?file=${encodeURIComponent(file)}`;
  return { nodeFlags: ["--import", url], setMs };
}
