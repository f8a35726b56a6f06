// Starts `make dev-setup` and `make run` with a new user's terminal. The user's kubeconfig points to a production
// cluster that no printed command may reach.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { borrowServer, emptySetup } from "@virt/testkit";
import { ownProduction, type Production } from "./production.ts";
import { type Background, openShell, type Shell, shellHome } from "./shell.ts";

export type DevCluster = {
  readonly shell: Shell;
  readonly operator: Background;
  readonly production: Production;
  readonly end: () => Promise<void>;
};

export async function startDevCluster(): Promise<DevCluster> {
  const folder = mkdtempSync(join(tmpdir(), "dev-cluster-"));
  const env = {
    DEV_FOLDER: join(folder, "cluster"),
    SCENARIO: "three-workers",
    SPEED: "1000",
  };
  const server = await borrowServer(emptySetup);
  const production = ownProduction(server, join(shellHome(folder), ".kube", "config"));
  const home = { HOME: shellHome(folder) };
  const before = openShell({
    folder: mkdtempSync(join(folder, "before-")),
    binaries: "",
    kubeconfig: "",
    env: { ...env, ...home },
  });
  const { code, stdout, stderr } = await before.run("make dev-setup");
  if (code !== 0) throw new Error(stderr);
  const [, binaries = ""] = /^export PATH=(\S+):\$PATH$/m.exec(stdout) ?? [];
  const shell = openShell({ folder, binaries, kubeconfig: "", env });
  const operator = shell.start("make run FLAGS=--health-probe-bind-address=0");
  // The cluster outlives this process by design. The guard deletes it even if this process is killed.
  const untilThen = `exec >/dev/null 2>&1; while kill -0 ${process.pid}; do sleep 1; done`;
  const guard = shell.start(`${untilThen}; kill -- -${operator.pid}; make kind-delete`);
  const end = async () => {
    await operator.stop();
    await shell.run("make kind-delete");
    await guard.stop();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { shell, operator, production, end };
}
