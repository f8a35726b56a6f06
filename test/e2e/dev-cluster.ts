// The cluster of `make dev-setup` with the operator of `make run`, and a terminal before it, as a newcomer has them.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Background, openShell, type Shell } from "./shell.ts";

export type DevCluster = {
  readonly shell: Shell;
  readonly operator: Background;
  readonly end: () => Promise<void>;
};

export async function startDevCluster(): Promise<DevCluster> {
  const folder = mkdtempSync(join(tmpdir(), "dev-cluster-"));
  const env = {
    DEV_FOLDER: join(folder, "cluster"),
    SCENARIO: "three-workers",
    SPEED: "1000",
  };
  const before = openShell({ folder: mkdtempSync(join(folder, "before-")), binaries: "", kubeconfig: "", env });
  const { code, stdout, stderr } = await before.run("make dev-setup");
  if (code !== 0) throw new Error(stderr);
  const [, kubeconfig = "", binaries = ""] = /^export KUBECONFIG=(\S+) PATH=(\S+):\$PATH$/m.exec(stdout) ?? [];
  const shell = openShell({ folder, binaries, kubeconfig, env });
  const operator = shell.start("make run FLAGS=--health-probe-bind-address=0");
  // The cluster outlives this process by design, even one that is killed.
  const untilThen = `exec >/dev/null 2>&1; while kill -0 ${process.pid}; do sleep 1; done`;
  const guard = shell.start(`${untilThen}; kill -- -${operator.pid}; make kind-delete`);
  const end = async () => {
    await operator.stop();
    await shell.run("make kind-delete");
    await guard.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { shell, operator, end };
}
