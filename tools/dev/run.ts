// `make run`: runs the operator from its sources on the development cluster or on another one.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { AccessError, findAccess, kubeconfigPaths, NoClusterError } from "@virt/kube";
import { recordedServer } from "./record.ts";
import { chooseRunTarget, type RunChoice } from "./run-target.ts";

const { CONTEXT: context = "", YES = "", FLAGS = "" } = process.env;
const flags = FLAGS.split(" ").filter((word) => word !== "");

try {
  // A --kubeconfig flag already chooses the cluster.
  process.exitCode = flags.some((flag) => /^--?kubeconfig\b/.test(flag)) ? runOperator(process.env) : runChosen();
} catch (error) {
  if (!(error instanceof AccessError)) throw error;
  process.stderr.write(`make: ${error.message}\n`);
  process.exitCode = 1;
}

function runChosen(): number {
  const kubeconfigs = kubeconfigPaths(process.env);
  const [current, dev] = [currentCluster(), recordedServer()];
  const target = chooseRunTarget({
    kubeconfigs,
    context,
    isConfirmed: YES !== "",
    ...(current && { current }),
    ...(dev && { dev }),
  });
  if (target.kind === "refused") throw new AccessError(target.message);
  if (target.context === undefined)
    return runOperator({ ...process.env, KUBECONFIG: target.kubeconfigs.join(delimiter) });
  findAccess({ env: process.env, context: target.context, isPersonal: true });
  const folder = mkdtempSync(join(tmpdir(), "make-run-"));
  try {
    // The first file that sets the current context wins, so no credentials have to be copied.
    const chooser = join(folder, "context");
    writeFileSync(chooser, JSON.stringify({ "current-context": target.context }));
    return runOperator({ ...process.env, KUBECONFIG: [chooser, ...target.kubeconfigs].join(delimiter) });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function currentCluster(): RunChoice["current"] {
  try {
    return findAccess({ env: process.env, isPersonal: true });
  } catch (error) {
    if (error instanceof NoClusterError || context !== "") return undefined;
    throw error;
  }
}

function runOperator(env: NodeJS.ProcessEnv): number {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {}); // the operator handles it
  const args = ["apps/operator/src/main.ts", "--example-profile", ...flags]; // the last of two equal flags wins
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit", env });
  return status ?? 1;
}
