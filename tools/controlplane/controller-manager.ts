// `make controller-manager`: obtains kube-controller-manager and prints its path as the last line.

import { obtainControllerManager } from "@virt/testkit";
import { startProgress } from "../progress.ts";

const progress = startProgress("controller manager", process.stderr);
try {
  const file = await obtainControllerManager(process.env, progress.update);
  progress.done("is in the cache");
  process.stdout.write(`${file}\n`);
} catch (error) {
  progress.fail();
  process.stderr.write(`make: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
