// `make test-tools` and `make runc`: gets the programs that tests run, and prints their files.

import { startProgress } from "../progress.ts";
import { obtainChromium } from "./chromium.ts";
import { obtainProgram } from "./obtain.ts";
import { lua, type Program, prometheus, promtool, runc } from "./pins.ts";

const fromPins = (program: Program) => ({ name: program.name, obtain: () => obtainProgram(program) });
const chromium = { name: "chromium", obtain: () => obtainChromium().file };
const asked = process.argv[2] === "runc" ? [fromPins(runc)] : [...[promtool, prometheus, lua].map(fromPins), chromium];

for (const { name, obtain } of asked) {
  const progress = startProgress(name, process.stderr);
  try {
    const file = obtain();
    progress.done("is in the cache");
    process.stdout.write(`${file}\n`);
  } catch (error) {
    progress.fail();
    process.stderr.write(`make: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
