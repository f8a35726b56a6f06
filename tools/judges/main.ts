// `make judges`: gets the programs that tests use as judges, and prints their files.

import { startProgress } from "../progress.ts";
import { obtainProgram } from "./obtain.ts";
import { lua, promtool } from "./pins.ts";

for (const program of [promtool, lua]) {
  const progress = startProgress(program.name, process.stderr);
  try {
    const file = obtainProgram(program);
    progress.done("is in the cache");
    process.stdout.write(`${file}\n`);
  } catch (error) {
    progress.fail();
    process.stderr.write(`make: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
