// Each operator, with the rights that it ships with, comes to use every one of them; lists are not streamed, as on old clusters.

import { readFileSync, writeFileSync } from "node:fs";
import { get } from "node:https";
import { join } from "node:path";
import { freePorts, inRepository, startFaultProxy } from "@virt/testkit";
import { afterEach, expect, test, vi } from "vitest";
import { advisor, type OperatorNames, platform } from "../../../tools/generate/operators.ts";
import { compareRights } from "../../../tools/rights/compare-rights.ts";
import { exceptions } from "../../../tools/rights/exceptions.ts";
import { grantedRights } from "../../../tools/rights/granted-rights.ts";
import { usedRights } from "../../../tools/rights/used-rights.ts";
import { startWorld, type World } from "../../world/world.ts";
import { higherDensity, loadAware, paths } from "../advisor/cluster.ts";
import { startGolden, untilConverged } from "../platform/golden.ts";
import { hcoPath } from "../platform/site.ts";

const prefix = "platform.kubevirt.io/";
const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Behind a proxy that refuses streamed lists. Returns how to ask for its metrics. */
async function startBehindProxy(
  { server, startOperator }: World,
  { name, namespace }: OperatorNames,
  flags: readonly string[],
) {
  const account = await server.serviceAccount(namespace, `${name}-controller-manager`);
  const proxy = await startFaultProxy({ server });
  ends.push(proxy.stop);
  const refusal = { name: "no streams", trigger: { on: "every", matching: { verb: "watch" } } } as const;
  proxy.arm({ ...refusal, fault: { kind: "refuse-streaming-list" } });
  const [port = 0] = await freePorts(1);
  await startOperator({
    kubeconfig: proxy.kubeconfigFor(name, account),
    flags: ["--leader-elect", `--metrics-bind-address=127.0.0.1:${port}`, ...flags],
  });
  return () => statusOf(`https://127.0.0.1:${port}/metrics`, account.token);
}

function statusOf(url: string, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    // The certificate is the operator's own: who may ask is what counts here.
    const asked = get(url, { headers, rejectUnauthorized: false }, (answer) =>
      resolve(answer.resume().statusCode ?? 0),
    );
    asked.once("error", reject);
  });
}

const until = (look: () => Promise<void> | void) => vi.waitFor(look, { timeout: 90_000, interval: 100 });

function comparison({ server }: World, operator: OperatorNames, controller: string) {
  const role = readFileSync(inRepository("config", "rbac", controller, "role.yaml"), "utf8");
  const used = usedRights(server.audit(), [operator.account]);
  return compareRights(grantedRights(operator.account, role), used, exceptions);
}

const nothingLeft = { unused: [], needless: [] };

test("the advisor uses every right that it is granted", { timeout: 300_000 }, async () => {
  const world = await startWorld();
  ends.push(world[Symbol.asyncDispose]);
  const { configs, server } = world;
  const scenario = join(server.folder, "scenario.json");
  const nodes = [{ name: "worker", count: 1, roles: ["worker"], cpus: 8, memoryGiB: 32 }];
  writeFileSync(scenario, JSON.stringify({ nodes, vms: [], hco: null, descheduler: null }));
  await world.simulate(scenario);
  const askForMetrics = await startBehindProxy(world, advisor, []);
  const isThere = async (name: string) => expect((await configs.status(name)).phase).toBe("Ignored");
  await until(() => isThere(loadAware));
  await until(() => isThere(higherDensity));
  await configs.create("example-profile", { action: "Apply" });
  await configs.edit(loadAware, { action: "Apply" });
  await configs.edit(higherDensity, { action: "Apply" });
  for (const name of ["example-profile", loadAware, higherDensity]) await configs.until(name, "Completed");
  await configs.edit(loadAware, { options: { loadAware: { enablePSIMetrics: false } } });
  await configs.edit(higherDensity, { options: { virtHigherDensity: { enableSwap: false } } });
  for (const path of [paths.psi, paths.swap])
    await until(async () => expect((await server.request({ path })).status).toBe(404));
  expect(await askForMetrics()).toBe(403);
  await until(() => expect(comparison(world, advisor, "advisor")).toEqual(nothingLeft));
});

test("the platform operator uses every right that it is granted", { timeout: 300_000 }, async () => {
  const golden = await startGolden();
  ends.push(golden[Symbol.asyncDispose]);
  const { world, read, edit, targets } = golden;
  const askForMetrics = await startBehindProxy(world, platform, ["--activation=always"]);
  await untilConverged(golden);
  const { annotations = {} } = (await read(hcoPath)).metadata;
  const asked = Object.keys(annotations).filter((key) => /\/(vfio|usb)-devices$|\/feature-gates$/.test(key));
  const switches = ["kubelet-performance-settings", "numa", "swap", "pci-passthrough", "loadaware", "mtv", "metallb"];
  const off = [...switches, "node-health-check", "observability"].map((name) => [`${prefix}enable-${name}`, "false"]);
  const taken = Object.fromEntries([...off, ...asked.map((key) => [key, null]), [`${prefix}prune`, "true"]]);
  await edit(hcoPath, { metadata: { annotations: taken } });
  const stays = ["HyperConverged", "Service", "ServiceMonitor", "PrometheusRule"];
  const gone = targets.filter(({ ref }) => !stays.includes(ref.kind)).map(({ path }) => path);
  await until(async () => {
    const answers = await Promise.all(gone.map((path) => world.server.request({ path })));
    expect(gone.filter((_, at) => answers[at]?.status !== 404)).toEqual([]);
  });
  expect(await askForMetrics()).toBe(403);
  await until(() => expect(comparison(world, platform, "platform")).toEqual(nothingLeft));
});
