import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Server } from "@virt/testkit";
import { expect, test } from "vitest";
import {
  addConfig,
  condition,
  cordoned,
  fault,
  isReady,
  isUpdatedTo,
  list,
  machineConfiguration,
  machines,
  patch,
  poolPath,
  psi,
  read,
  type SimulatedObject,
  sources,
  untilUpdated,
} from "./simulator/objects.ts";
import { shareServer, simulate, timeout } from "./simulator/process.ts";

const server = shareServer();
/** A hang guard for a rollout of the default scenario on a busy machine. */
const rolloutTime = { timeout: 400_000 };

/** Enough for each worker to run some. apps/simulator/src/rollouts.test.ts runs two hundred without a server. */
const fewMachines = [{ name: "web", namespace: "shop", count: 24, memoryGiB: [4, 8] }];

function scenarioFile({ folder }: Server, scenario: object): string {
  const file = join(folder, "scenario.json");
  writeFileSync(file, JSON.stringify(scenario));
  return file;
}

/** Returns a function that reports the maximum number of unavailable workers, from repeated lists. */
function countAway(api: Server): () => Promise<number> {
  const seen: number[] = [];
  let isOver = false;
  const observe = async (): Promise<void> => {
    const nodes = (await list(api, "/api/v1/nodes")).filter(({ metadata }) => metadata.name.startsWith("worker"));
    seen.push(nodes.filter((node) => !isReady(node) || node.spec.unschedulable === true).length);
    if (!isOver) await observe();
  };
  const observing = observe();
  return async () => {
    isOver = true;
    await observing;
    return Math.max(...seen);
  };
}

/** The Machine Config Operator's update order: by zone, then oldest first, then by name. */
function rolloutOrder(nodes: readonly SimulatedObject[]): readonly string[] {
  const rank = ({ metadata }: SimulatedObject) =>
    [metadata.labels["topology.kubernetes.io/zone"] ?? "~", metadata.creationTimestamp, metadata.name].join(" ");
  return nodes.toSorted((left, right) => (rank(left) < rank(right) ? -1 : 1)).map(({ metadata }) => metadata.name);
}

test.each([1, 3])(
  "updates 12 nodes, %i at a time, in the operator's order",
  {
    timeout: 450_000,
    tags: ["thorough"],
  },
  async (maxUnavailable) => {
    const api = server();
    const pools = [{ name: "master" }, { name: "worker", maxUnavailable }];
    const simulator = simulate(api, scenarioFile(api, { pools, vms: fewMachines }));
    await simulator.until(/^ready$/m);
    const workers = (await list(api, "/api/v1/nodes")).filter(({ metadata }) => metadata.name.startsWith("worker"));
    const order = rolloutOrder(workers);
    expect(order).toHaveLength(12);
    const mostAway = countAway(api);

    await addConfig(api, "99-worker-psi-karg", psi);
    const isOver = async () => isUpdatedTo(await read(api, poolPath("worker")), "99-worker-psi-karg");
    await expect.poll(isOver, rolloutTime).toBe(true);

    expect(await mostAway()).toBe(maxUnavailable);
    // The first wave starts at the same time. Later nodes start as soon as there is room.
    const inWaves = (names: readonly string[]) => [
      ...names.slice(0, maxUnavailable).toSorted(),
      ...names.slice(maxUnavailable),
    ];
    expect(inWaves(cordoned(simulator))).toEqual(inWaves(order));
    const after = await list(api, "/api/v1/nodes");
    const boot = ({ status }: SimulatedObject) => status.nodeInfo.bootID;
    expect(after.filter((node) => workers.some((before) => boot(before) === boot(node)))).toEqual([]);
    expect(
      after.find(({ metadata }) => metadata.name === "worker-0")?.metadata.managedFields.map(({ manager }) => manager),
    ).toEqual(expect.arrayContaining(["machine-config-operator", "machine-config-daemon-worker-0", "kubelet"]));
    const vms = await list(api, machines);
    expect(
      vms.filter(({ status }) => status.phase === "Running" && status.nodeName?.startsWith("worker")),
    ).toHaveLength(24);
    expect(await simulator.stop()).toBe(0);
    expect(simulator.complaints).toEqual([]);
  },
);

test("writes nothing at rest and only what a change requires", async () => {
  const api = server();
  const simulator = simulate(api, "three-workers");
  await simulator.until(/^hco has carried out a change$/m);
  const untilAway = async (count: number) => {
    const away = async () => (await read(api, poolPath("master"))).status.unavailableMachineCount;
    await expect.poll(away, timeout).toBe(count);
  };
  // Sets and clears a fault, after which earlier changes are complete.
  await fault(api, "/api/v1/nodes/master-0", "not-ready", "");
  await untilAway(1);
  await fault(api, "/api/v1/nodes/master-0", "not-ready", null);
  await untilAway(0);

  const since = new Date().toISOString();
  await patch(api, "/api/v1/nodes/master-0", { metadata: { labels: { rack: "7" } } });
  await fault(api, "/api/v1/nodes/master-1", "not-ready", "");
  await untilAway(1);
  const writes = () =>
    api
      .audit()
      .filter(
        ({ userAgent = "", requestReceivedTimestamp }) =>
          userAgent.startsWith("virt-simulator") && requestReceivedTimestamp > since,
      )
      .filter(({ verb }) => ["create", "patch", "update", "delete"].includes(verb))
      .map(({ requestURI }) => requestURI.replace(/\?.*/, ""));
  await expect.poll(writes, timeout).toEqual(["/api/v1/nodes/master-1/status", `${poolPath("master")}/status`]);
});

test("a paused pool renders, and updates once it is resumed", async () => {
  const api = server();
  const simulator = simulate(api, "paused-pool");
  await simulator.until(/^ready$/m);
  await addConfig(api, "99-worker-psi-karg", psi);
  await expect
    .poll(async () => condition(await read(api, poolPath("worker")), "Updating")?.message, timeout)
    .toMatch(/^Pool is paused; will not update to MachineConfig rendered-worker-/);
  expect(sources(await read(api, poolPath("worker")))).toContain("99-worker-psi-karg");
  expect(cordoned(simulator)).toEqual([]);
  await patch(api, poolPath("worker"), { spec: { paused: false } });
  await untilUpdated(api, "worker", "99-worker-psi-karg");
  expect(cordoned(simulator)).toEqual(["worker-0", "worker-1", "worker-2"]);
});

test.each([
  ["compact", ["node-0", "node-1", "node-2"], /^node (\S+) is cordoned/],
  ["single-node", ["node-0"], /^node (\S+) reboots/], // no node can take its pods, so that it is not drained
])("in a %s cluster, the master pool updates the nodes", async (scenario, nodes, step) => {
  const api = server();
  const simulator = simulate(api, scenario);
  await simulator.until(/^ready$/m);
  await addConfig(api, "99-worker-psi-karg", psi);
  await untilUpdated(api, "worker", "99-worker-psi-karg");
  expect((await read(api, poolPath("worker"))).status.machineCount).toBe(0);
  expect(cordoned(simulator)).toEqual([]);
  await addConfig(api, "99-master-psi-karg", { role: "master", ...psi });
  await untilUpdated(api, "master", "99-master-psi-karg");
  expect(simulator.lines.flatMap((line) => step.exec(line)?.[1] ?? [])).toEqual(nodes);
  expect(cordoned(simulator)).toEqual(nodes.length === 1 ? [] : nodes);
  await expect.poll(async () => (await list(api, machines)).every((vm) => isReady(vm)), timeout).toBe(true);
});

test("a VM that cannot migrate blocks the drain, also across a restart", async () => {
  const api = server();
  const simulator = simulate(api, "stuck-drain");
  await simulator.until(/^ready$/m);
  await addConfig(api, "99-worker-psi-karg", psi);
  await expect.poll(async () => (await read(api, poolPath("worker"))).status.degradedMachineCount, timeout).toBe(1);
  const drained = async () =>
    condition(await read(api, `${machineConfiguration}/machineconfignodes/worker-0`), "Drained");
  const failure =
    /^Error: Node Drain has not succeeded[.] Error is: error when evicting pods\/"virt-launcher-pinned-0-/;
  await expect
    .poll(drained, timeout)
    .toMatchObject({ status: "Unknown", message: expect.stringMatching(failure) as string });
  expect(
    (await list(api, machines))
      .filter(({ status }) => status.nodeName === "worker-0")
      .map(({ metadata }) => metadata.name),
  ).toEqual(["pinned-0"]);
  await simulator.stop();
  const another = simulate(api, "stuck-drain");
  await another.until(/^ready$/m);
  await fault(api, "/apis/kubevirt.io/v1/namespaces/vms/virtualmachineinstances/pinned-0", "unmigratable", null);
  await untilUpdated(api, "worker", "99-worker-psi-karg");
  expect([...simulator.lines, ...another.lines].filter((line) => line.endsWith("is drained"))).toHaveLength(3);
  expect(another.complaints).toEqual([]);
});
