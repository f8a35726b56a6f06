import { machineConfigPoolHealth } from "@virt/cluster";
import { isUpdated, type RolloutNode, type RolloutPool } from "@virt/impact";
import { anyNodes, anyPool, pool } from "@virt/impact/testing/any-rollout";
import { type KubeObject } from "@virt/objects";
import fc from "fast-check";
import { expect, test } from "vitest";
import { poolStatus } from "./pool-status.ts";

const done: RolloutNode = {
  name: "a",
  current: "new",
  desired: "new",
  phase: "Updated",
  isReady: true,
  isCordoned: false,
};
const old: RolloutNode = { ...done, name: "b", current: "old", desired: "old" };

const reportedTwice =
  'Node b is reporting: "Node b upgrade failure. disk \\"full\\"", Node b is reporting: "disk \\"full\\""';

const updated = "Updated: All nodes are updated with MachineConfig new";
const updating = "Updating: All nodes are updating to MachineConfig new";
const degradedNode: RolloutNode = { ...old, desired: "new", phase: "Degraded", reason: 'disk "full"' };

const cases: readonly {
  reason: string;
  given?: Partial<RolloutPool>;
  nodes: readonly RolloutNode[];
  renderError?: string;
  counts: readonly number[];
  conditions: readonly string[];
}[] = [
  { reason: "a pool is updated when all its nodes are", nodes: [done], counts: [1, 1, 1, 0, 0], conditions: [updated] },
  { reason: "a pool without nodes is updated", nodes: [], counts: [0, 0, 0, 0, 0], conditions: [updated] },
  {
    reason: "a pool is updating while one of its nodes is outdated",
    nodes: [done, old],
    counts: [2, 1, 1, 0, 0],
    conditions: [updating],
  },
  {
    reason: "a paused pool is neither updated nor updating",
    given: { isPaused: true },
    nodes: [done, old],
    counts: [2, 1, 1, 0, 0],
    conditions: [],
  },
  {
    reason: "a cordoned node is not ready",
    nodes: [{ ...done, isCordoned: true }],
    counts: [1, 1, 0, 1, 0],
    conditions: [updating],
  },
  {
    reason: "a degraded node degrades the pool with its reason",
    nodes: [done, degradedNode],
    counts: [2, 1, 1, 0, 1],
    conditions: [updating, `NodeDegraded: ${reportedTwice}`, `Degraded: ${reportedTwice}`],
  },
  {
    reason: "a configuration that cannot be rendered degrades the pool",
    nodes: [done],
    renderError: "no such file",
    counts: [1, 1, 1, 0, 0],
    conditions: [updated, "RenderDegraded: no such file", "Degraded: "],
  },
];

test.each(cases)("$reason", ({ given, nodes, renderError, counts, conditions }) => {
  const status = poolStatus({ ...pool, ...given }, nodes, renderError);
  const { machineCount, updatedMachineCount, readyMachineCount, unavailableMachineCount, degradedMachineCount } =
    status;
  expect([machineCount, updatedMachineCount, readyMachineCount, unavailableMachineCount, degradedMachineCount]).toEqual(
    counts,
  );
  expect(
    status.conditions.filter((each) => each.status === "True").map(({ type, message }) => `${type}: ${message}`),
  ).toEqual(conditions);
});

const isRunning = (node: RolloutNode) => isUpdated(node, pool) && node.isReady && !node.isCordoned;

test("conditions agree with the node counts", () => {
  const law = fc.property(anyPool, anyNodes, fc.boolean(), (pool, nodes, isBroken) => {
    const status = poolStatus(pool, nodes, isBroken ? "no" : undefined);
    const isTrue = (type: string) => status.conditions.find((each) => each.type === type)?.status === "True";
    const count = (isCounted: (node: RolloutNode) => boolean) => nodes.filter(isCounted).length;
    return [
      status.machineCount === nodes.length,
      status.updatedMachineCount === count((each) => isUpdated(each, pool)),
      status.readyMachineCount === count(isRunning),
      status.readyMachineCount + status.unavailableMachineCount <= nodes.length,
      status.degradedMachineCount === count((each) => each.phase === "Degraded"),
      isTrue("Updated") === (count(isRunning) === nodes.length),
      isTrue("Updating") === (!isTrue("Updated") && !pool.isPaused),
      isTrue("NodeDegraded") === status.degradedMachineCount > 0,
      isTrue("RenderDegraded") === isBroken,
      isTrue("Degraded") === (isTrue("NodeDegraded") || isTrue("RenderDegraded")),
    ].every(Boolean);
  });
  fc.assert(law);
});

test("a pool is done exactly when every node runs the wanted configuration", () => {
  const law = fc.property(anyPool, anyNodes, fc.boolean(), (pool, nodes, isBroken) => {
    const health = machineConfigPoolHealth(asObject(pool, poolStatus(pool, nodes, isBroken ? "no" : undefined)));
    return (health.state === "done") === (!isBroken && nodes.every(isRunning));
  });
  fc.assert(law);
});

function asObject(pool: RolloutPool, { conditions, isFinished, ...counts }: ReturnType<typeof poolStatus>): KubeObject {
  const status = { ...counts, conditions, configuration: { name: isFinished ? pool.wanted : "old" } };
  return {
    apiVersion: "v1",
    kind: "MachineConfigPool",
    metadata: { name: pool.name },
    spec: { configuration: { name: pool.wanted }, paused: pool.isPaused },
    status,
  };
}
