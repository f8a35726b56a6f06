// `make test-tools`, `make chromium` and `make runc`: prints the paths of the named programs.

import { startProgress } from "../progress.ts";
import { obtainChromium } from "./chromium.ts";
import { obtainProgram } from "./obtain.ts";
import { lua, type Program, prometheus, promtool, runc } from "./pins.ts";

const fromPins = (program: Program) => () => obtainProgram(program);
const programs: Readonly<Record<string, () => string>> = {
  promtool: fromPins(promtool),
  prometheus: fromPins(prometheus),
  lua: fromPins(lua),
  runc: fromPins(runc),
  chromium: () => obtainChromium().file,
};

for (const name of process.argv.slice(2)) {
  const progress = startProgress(name, process.stderr);
  try {
    const obtain = programs[name];
    if (obtain === undefined) throw new Error(`no test runs a program called ${name}`);
    const file = obtain();
    progress.done("is in the cache");
    process.stdout.write(`${file}\n`);
  } catch (error) {
    progress.fail();
    process.stderr.write(`make: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
