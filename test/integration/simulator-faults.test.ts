import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  addConfig,
  condition,
  fault,
  machineConfigs,
  machineConfiguration,
  patch,
  poolPath,
  psi,
  read,
  sources,
  untilUpdated,
} from "./simulator/objects.ts";
import { main, shareServer, simulate, timeout } from "./simulator/process.ts";

const server = shareServer();

test("annotations degrade nodes and delay renders until they are removed", async () => {
  const api = server();
  const simulator = simulate(api, "three-workers");
  await simulator.until(/^ready$/m);
  const worker = () => read(api, poolPath("worker"));

  await fault(api, "/api/v1/nodes/worker-0", "degrade", "disk is full");
  await addConfig(api, "99-worker-psi-karg", psi);
  await expect
    .poll(async () => condition(await worker(), "NodeDegraded")?.message, timeout)
    .toBe(
      'Node worker-0 is reporting: "Node worker-0 upgrade failure. disk is full", Node worker-0 is reporting: "disk is full"',
    );
  const mcn = () => read(api, `${machineConfiguration}/machineconfignodes/worker-0`);
  await expect
    .poll(async () => condition(await mcn(), "NodeDegraded"), timeout)
    .toMatchObject({ status: "True", message: "Node worker-0 upgrade failure. disk is full" });
  await fault(api, "/api/v1/nodes/worker-0", "degrade", null);
  await untilUpdated(api, "worker", "99-worker-psi-karg");

  await addConfig(api, "99-worker-broken", { spec: { config: { ignition: { version: "9.9.9" } } } });
  await expect
    .poll(async () => condition(await worker(), "RenderDegraded")?.message, timeout)
    .toMatch(/^Failed to render configuration for pool worker: .*unknown version "9.9.9".*99-worker-broken/);
  expect(sources(await worker())).not.toContain("99-worker-broken");
  await api.request({ method: "DELETE", path: `${machineConfigs}/99-worker-broken` });
  await expect.poll(async () => condition(await worker(), "RenderDegraded")?.status, timeout).toBe("False");

  await fault(api, poolPath("worker"), "render-delay", "1000000h");
  // Pools and MachineConfigs have separate watches. The generation shows that the pool change was seen.
  await patch(api, poolPath("worker"), { spec: { maxUnavailable: 2 } });
  const { generation } = (await worker()).metadata;
  await expect.poll(async () => (await worker()).status.observedGeneration, timeout).toBe(generation);
  await addConfig(api, "99-worker-late", psi);
  await addConfig(api, "99-master-late", { role: "master", ...psi });
  await untilUpdated(api, "master", "99-master-late");
  expect(sources(await worker())).not.toContain("99-worker-late");
  await fault(api, poolPath("worker"), "render-delay", null);
  await untilUpdated(api, "worker", "99-worker-late");
});

test("reports a refused object once and creates all others", async () => {
  const api = server();
  const file = join(api.folder, "refused.json");
  const refused = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "NOT A NAME", namespace: "default" } };
  const made = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a-name", namespace: "default" } };
  writeFileSync(file, JSON.stringify({ objects: [refused, made], vms: [] }));
  const simulator = simulate(api, file);
  await simulator.until(/^ready$/m);
  await simulator.stop(); // "ready" can arrive before earlier complaints
  expect(simulator.complaints).toEqual([
    expect.stringMatching(/^virt-simulator: cannot create ConfigMap NOT A NAME: /),
  ]);
  expect((await api.request({ path: "/api/v1/namespaces/default/configmaps/a-name" })).status).toBe(200);
});

test.each([
  [["--speed", "0"], "--speed=0: must be a number above 0"],
  [["--sped", "1"], "unknown flag --sped"],
  [["--seed"], "--seed needs a value"],
  [["--scenario", "/nowhere.json"], "--scenario=/nowhere.json: not a file; the built-in scenarios are default"],
])("the command line %j fails with one line that names the flag", (args, message) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: "utf8" });
  expect([status, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/^virt-simulator: [^\n]+\n$/);
  expect(stderr).toContain(message);
});
