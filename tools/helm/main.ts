// `make helm`: obtains the pinned helm and prints its path as the last line.

import { startProgress } from "../progress.ts";
import { obtainHelm } from "./obtain.ts";

const progress = startProgress("helm", process.stderr);
try {
  const file = await obtainHelm(process.env, progress.update);
  progress.done("is in the cache");
  process.stdout.write(`${file}\n`);
} catch (error) {
  progress.fail();
  process.stderr.write(`make: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
