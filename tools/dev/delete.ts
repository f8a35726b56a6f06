// `make kind-delete`: deletes the cluster of `make dev-setup` or `make kind-setup`.

import { spawnSync } from "node:child_process";
import { endKeepers, forget, recorded, type UserContext } from "./record.ts";
import { leaveContext } from "./user-context.ts";

const cluster = recorded();
if (cluster === undefined) {
  process.stdout.write("no cluster created by make dev-setup was found\n");
} else {
  const { kind, operators, keepers, context } = cluster;
  if (context !== undefined) restoreContext(context);
  await endKeepers([...(operators ? [operators.keeper] : []), ...keepers]);
  if (kind !== undefined) {
    const env = { ...process.env, KIND_EXPERIMENTAL_PROVIDER: kind.engine };
    const { status } = spawnSync("kind", ["delete", "cluster", "--name", kind.name], { stdio: "inherit", env });
    if (status !== 0) process.exit(1);
  }
  forget();
  process.stdout.write("cluster deleted\n");
}

function restoreContext(context: UserContext): void {
  try {
    const current = leaveContext(context);
    if (current === undefined) return;
    process.stdout.write(
      `kubectl's current context is ${current === "" ? "unset" : `switched back to "${current}"`}, in ${context.file}\n`,
    );
  } catch (error) {
    process.stderr.write(`make: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
