import type { Item, ObservedSeconds, Status } from "@virt/api";
import { poolObject, workers } from "@virt/impact/testing/cluster-builder";
import { afterAll, beforeAll, expect, test } from "vitest";
import { higherDensity, loadAware, paths } from "../support/advisor.ts";
import { PlantedCluster } from "../support/planted-cluster.ts";
import { runPlugin } from "../support/plugin.ts";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";

const past = "2026-01-01T00:00:00Z";
const configuration = { name: "rendered-2", source: [{ name: "00-worker" }, { name: "99-worker-psi-karg" }] };
const pool = poolObject("worker", { configuration });
const { apiVersion } = pool;
const psi = {
  apiVersion,
  kind: "MachineConfig",
  metadata: { name: "99-worker-psi-karg", labels: { "machineconfiguration.openshift.io/role": "worker" } },
  spec: { kernelArguments: ["psi=1"] },
};
let testCluster: TestCluster;

beforeAll(async () => {
  testCluster = await startTestCluster();
  const planted = new PlantedCluster(testCluster.server);
  await planted.plant([...workers(3), pool]);
  for (const name of [loadAware, higherDensity]) await testCluster.configs.create(name);
});
afterAll(() => testCluster[Symbol.asyncDispose]());

const run = (...args: readonly string[]) => runPlugin(["doctor", ...args], testCluster.server);

const running: Item = {
  name: "enable-psi-metrics",
  operation: "Apply",
  targetRef: { apiVersion, kind: "MachineConfig", name: psi.metadata.name },
  impactSeverity: "High",
  changes: true,
  diff: "",
  state: "InProgress",
  message: "",
  desiredState: psi,
};
const rolling: Status = {
  phase: "InProgress",
  items: [{ ...running, appliedTime: past }],
  rollouts: [
    { machineConfig: psi.metadata.name, startTime: past, before: [{ pool: "worker", configuration: "rendered-1" }] },
  ],
};

const observing = (observed?: ObservedSeconds): NonNullable<Status["rollout"]> => ({
  summary: "",
  pools: [
    {
      name: "worker",
      total: 3,
      done: 0,
      inHand: 0,
      waiting: 3,
      degraded: 0,
      ...(observed !== undefined && { observed }),
    },
  ],
  nodes: [],
  findings: [],
  more: { pools: 0, nodes: 0, findings: 0 },
});

test("doctor reports a deleted target with both remedies and exits with 6", async () => {
  await testCluster.configs.record(loadAware, { ...rolling, rollout: observing() });
  const { code, out } = await run();
  expect(code).toBe(6);
  expect(out).toContain("MachineConfig 99-worker-psi-karg was deleted during its rollout");
  expect(out).toContain(`kubectl virt-advisor plan ${loadAware}`);
  expect(out).toContain("| kubectl apply --server-side --field-manager=virt-advisor-operator -f -");
  expect(out).toMatch(/worker +\[\.+\] +0 of 3 updated/u);
  expect(out).not.toContain("Nothing is blocking");
});

test("doctor reports the deletion of a target that was already in place", async () => {
  const rollout = { startTime: past, before: [{ pool: "worker", configuration: "rendered-1" }] };
  const items = [{ ...running, changes: false, rollout }];
  await testCluster.configs.record(loadAware, { phase: "InProgress", items });
  const { code, out } = await run();
  expect(code).toBe(6);
  expect(out).toContain("MachineConfig 99-worker-psi-karg was deleted during its rollout");
  expect(out).not.toContain("Nothing is blocking");
});

test("doctor predicts with restart times that any config observed", async () => {
  const { configs, server } = testCluster;
  const path = paths.psi.slice(0, paths.psi.lastIndexOf("/"));
  expect((await server.request({ method: "POST", path, body: psi })).status).toBe(201);
  const slow = { drainSeconds: [], restartSeconds: [2000, 2100, 2200] };
  const remainingWhile = async (own: ObservedSeconds | undefined, others: ObservedSeconds | undefined) => {
    await configs.record(loadAware, { ...rolling, rollout: observing(own) });
    await configs.record(higherDensity, { phase: "Completed", rollout: observing(others) });
    const { out } = await run(loadAware, "-o", "json");
    return (JSON.parse(out) as { readonly rollout: NonNullable<Status["rollout"]> }).rollout.remaining;
  };
  const usual = await remainingWhile(undefined, undefined);
  const own = await remainingWhile(slow, undefined);
  expect(own?.lowSeconds).toBeGreaterThan(usual?.lowSeconds ?? Number.POSITIVE_INFINITY);
  expect(await remainingWhile(undefined, slow)).toEqual(own);
});
