// `make gitops-clients`: obtains the GitOps clients for tests and prints their folder as the last line.

import { startProgress } from "../progress.ts";
import { obtainGitOpsClients } from "./obtain.ts";

const progress = startProgress("GitOps clients", process.stderr);
try {
  const folder = await obtainGitOpsClients(process.env, progress.update);
  progress.done("are in the cache");
  process.stdout.write(`${folder}\n`);
} catch (error) {
  progress.fail();
  process.stderr.write(`make: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
