// `make controlplane`: obtains kube-apiserver, etcd and kubectl, and prints their folder as the last line.

import { obtainBinaries } from "@virt/testkit";
import { startProgress } from "../progress.ts";

const progress = startProgress("control plane", process.stderr);
try {
  const { folder, source } = await obtainBinaries(process.env, progress.update);
  progress.done(`from ${source}`);
  process.stdout.write(`${folder}\n`);
} catch (error) {
  progress.fail();
  process.stderr.write(`make: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
