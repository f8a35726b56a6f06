// The seed's development workflow: a local cluster, the operators, their logs, and a redeployment.
// @module-tag thorough

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { borrowServer, emptySetup, type Server } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type DevCluster, isKeeper } from "../../../tools/dev/record.ts";
import { ownProduction, type Production } from "../../e2e/production.ts";
import { openShell, type Shell, shellHome } from "../../e2e/shell.ts";
import { succeeded } from "./manifests.ts";

const folder = mkdtempSync(join(tmpdir(), "local-"));
// Ignores container tools of this machine, because the test concerns the cluster without Kind.
const env = { DEV_FOLDER: join(folder, "cluster"), SCENARIO: "three-workers", SPEED: "1000", CONTAINER_TOOL: "false" };
const hangsAfterMs = 240_000;
let shell: Shell;
let server: Server;
let production: Production;

beforeAll(async () => {
  server = await borrowServer(emptySetup);
  production = ownProduction(server, join(shellHome(folder), ".kube", "config"));
  shell = openShell({ folder, binaries: "", kubeconfig: "", env });
});
afterAll(async () => {
  await shell.run("make kind-delete");
  await server.stop();
  rmSync(folder, { recursive: true });
});

function userContext(): string {
  const [, name = ""] = /^current-context: (\S*)$/m.exec(production.kubeconfig()) ?? [];
  return name.replaceAll("'", "");
}

function recordedCluster(): DevCluster {
  return JSON.parse(readFileSync(join(env.DEV_FOLDER, "cluster.json"), "utf8")) as DevCluster;
}

test("without a cluster, each command names make kind-setup", { timeout: hangsAfterMs }, async () => {
  for (const target of ["deploy-local", "redeploy-local", "logs-local"]) {
    const { code, stderr } = await shell.run(`make ${target}`);
    expect({ target, code }).toEqual({ target, code: 2 });
    expect(stderr).toContain("make: no local cluster found: run make kind-setup first\n");
  }
});

test("without Kind, kind-setup creates a simulated cluster", { timeout: hangsAfterMs }, async () => {
  const { stdout, stderr } = succeeded(await shell.run("make kind-setup"));
  expect(stderr).toMatch(
    /^make: cannot create a Kind cluster \(.*\)\. Creating a simulated cluster instead, as with make dev-setup$/m,
  );
  expect(stdout).toContain('kubectl\'s current context is now "virt-dev"');
  expect(userContext()).toBe("virt-dev");
});

test("NO_CONTEXT leaves the user's kubeconfig unchanged", { timeout: hangsAfterMs }, async () => {
  const other = "HOME=$HOME/other; export HOME; mkdir -p $HOME";
  const { stdout } = succeeded(await shell.run(`${other}; make kind-setup NO_CONTEXT=1 && ls -A $HOME`));
  expect(stdout).toContain(`export KUBECONFIG=${recordedCluster().kubeconfig} PATH=`);
  expect(stdout).not.toMatch(/^\.kube$/m);
});

test("deploy-local runs both operators, and logs-local prints their logs", {
  timeout: hangsAfterMs,
}, async () => {
  succeeded(await shell.run("make deploy-local"));
  const logs = async () => (await shell.run("make logs-local")).stdout;
  await expect
    .poll(logs, { timeout: 100_000 })
    .toMatch(/"controllers":\["advisor"\](?:.|\n)*Profile virt-higher-density is available/);
  await expect.poll(logs, { timeout: 100_000 }).toMatch(/"controllers":\["platform"\](?:.|\n)*became leader/);
});

test("redeploy-local replaces the operators", { timeout: hangsAfterMs }, async () => {
  const { stdout } = succeeded(await shell.run("make redeploy-local"));
  expect(stdout).toContain("deployment.apps/virt-advisor-operator-controller-manager serverside-applied");
  await expect.poll(async () => (await shell.run("make logs-local")).stdout).toContain('"msg":"starting"');
});

test("undeploy stops the operators", { timeout: hangsAfterMs }, async () => {
  const { operators } = recordedCluster();
  const { stdout } = succeeded(await shell.run("make undeploy"));
  expect(stdout).toContain("Stopped the operators that make deploy-local had started.\n");
  expect(isKeeper(operators?.keeper ?? 0)).toBe(false);
  expect((await shell.run("make logs-local")).stderr).toContain("run make deploy-local first");
});

test("kind-delete deletes the cluster and restores the user's context", { timeout: hangsAfterMs }, async () => {
  const { stdout } = await shell.run("make kind-delete");
  expect(stdout).toMatch(/^kubectl's current context is switched back to "production", in \S+\ncluster deleted\n$/);
  expect(userContext()).toBe("production");
  expect((await shell.run("make kind-delete")).stdout).toBe("no cluster created by make dev-setup was found\n");
});

test("make deploy and make run refuse the production context", async () => {
  expect(userContext()).toBe("production");
  const deployed = await shell.run("make deploy");
  expect(deployed.code).not.toBe(0);
  expect(deployed.stderr).toContain("make: IMG is not set.");
  const started = await shell.run("make run");
  expect(started.code).not.toBe(0);
  expect(started.stderr).toContain("which is not the cluster of make dev-setup");
});

test("no command sends a request to the production cluster", async () => {
  expect(await production.requests()).toEqual([]);
});
