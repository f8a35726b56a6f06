// `make kind-setup` with a fake Kind that provides a real API server.
// @module-tag thorough

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { KubeObject } from "@virt/api";
import { type Server, startServer } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openShell, type Shell } from "../../e2e/shell.ts";
import { succeeded } from "./manifests.ts";

const hangsAfterMs = 240_000;
const folder = mkdtempSync(join(tmpdir(), "kind-"));
const calls = join(folder, "calls");

let server: Server;
let shell: Shell;
beforeAll(async () => {
  server = await startServer();
  const env = { DEV_FOLDER: join(folder, "dev") };
  shell = openShell({ folder, binaries: server.binaries, kubeconfig: "", env });
  const standIn = (name: string, script: string) =>
    writeFileSync(join(folder, "shell", name), `#!/bin/sh\necho ${name} "$@" >>${calls}\n${script}\n`, { mode: 0o755 });
  standIn("kind", `[ "$1" != create ] || cp ${server.kubeconfig} "$6"`);
  standIn("podman", "");
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

test("kind-setup installs our CRD, foreign CRDs and a mock HyperConverged", { timeout: hangsAfterMs }, async () => {
  const { stdout } = succeeded(await shell.run("make kind-setup"));
  expect(stdout).toContain('kubectl\'s current context is now "virt-dev"');
  expect(stdout).toContain("Next: make deploy-local");
  expect(succeeded(await shell.run("kubectl config current-context")).stdout).toBe("virt-dev\n");
  const { stdout: found } = await server.kubectl(
    "get",
    "hyperconverged,kubedescheduler",
    "--all-namespaces",
    "-o=name",
  );
  expect(found).toContain("kubevirt-hyperconverged");
  expect((await server.kubectl("get", "vpconf")).code).toBe(0);
});

test("deploy-local builds and loads the image and waits for the pods", { timeout: hangsAfterMs }, async () => {
  const deploying = shell.run("make deploy-local");
  await expect.poll(() => rollOut(deploying), { timeout: hangsAfterMs }).toBe("ended");
  expect(succeeded(await deploying).stderr).toContain("ok: rollout of virt-platform-operator-controller-manager");
  const image = "localhost/virt-operators:local";
  const steps = readFileSync(calls, "utf8")
    .split("\n")
    .filter((call) => /^podman (?:build|save)|^kind load/.test(call));
  expect(steps).toEqual([
    expect.stringMatching(
      new RegExp(`^podman build --build-arg=BUILDER=\\S+ --build-arg=BASE=\\S+ --tag ${image} \\.$`),
    ),
    expect.stringMatching(new RegExp(`^podman save --output (\\S+/image.tar) ${image}$`)),
    expect.stringMatching(/^kind load image-archive \S+\/image.tar --name virt-operators$/),
  ]);
});

test("kind-delete deletes the cluster with the same engine", async () => {
  expect((await shell.run("make kind-delete")).stdout).toContain("cluster deleted\n");
  const asked = readFileSync(calls, "utf8").trim().split("\n");
  expect(asked.filter((call) => /^kind (?:create|delete)/.test(call))).toEqual([
    `kind create cluster --name virt-operators --kubeconfig ${join(folder, "dev", "kind.kubeconfig")}`,
    "kind delete cluster --name virt-operators",
  ]);
});

/** Writes the status that a Deployment controller would write. */
async function rollOut(deploying: Promise<unknown>): Promise<"ended" | "going on"> {
  const { body } = await server.request({ path: "/apis/apps/v1/deployments" });
  for (const { metadata } of (body as { readonly items: readonly KubeObject[] }).items) {
    const { namespace, name, generation } = metadata;
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${name}/status`;
    const counts = { replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 };
    await server.request({ method: "PATCH", path, body: { status: { observedGeneration: generation, ...counts } } });
  }
  return Promise.race([deploying.then(() => "ended" as const), wait(100, "going on" as const)]);
}
