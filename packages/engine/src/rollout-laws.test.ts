import fc from "fast-check";
import { expect, test } from "vitest";
import {
  advance,
  begin,
  isUnavailable,
  isUpdated,
  nextNodes,
  planWaves,
  type RolloutNode,
  type RolloutPool,
  unavailableLimit,
} from "./rollout.ts";

const pool: RolloutPool = { name: "worker", wanted: "new", isPaused: false };
const node = (name: string): RolloutNode => ({
  name,
  current: "old",
  desired: "old",
  phase: "Updated",
  isReady: true,
  isCordoned: false,
});

const config = fc.constantFrom("old", "new");
const anyNode = fc.record({
  current: config,
  desired: config,
  phase: fc.constantFrom("Updated", "Draining", "Applying", "Rebooting", "Degraded"),
  isReady: fc.boolean(),
  isCordoned: fc.boolean(),
  zone: fc.constantFrom("1", "2"),
});
const anyNodes = fc
  .array(anyNode, { maxLength: 6 })
  .map((nodes) => nodes.map((each, at): RolloutNode => ({ ...each, name: `n${at}` })));
const anyPool = fc
  .record({ isPaused: fc.boolean(), maxUnavailable: fc.constantFrom(1, 2, 3, "50%", "100%") })
  .map((given): RolloutPool => ({ ...pool, ...given }));

const start = (pool: RolloutPool, nodes: readonly RolloutNode[]) => {
  const next = nextNodes(pool, nodes).map(({ name }) => name);
  return nodes.map((each) => (next.includes(each.name) ? begin(each, pool) : each));
};

test("starting nodes never makes more of them unavailable than the pool allows", () => {
  const law = fc.property(anyPool, anyNodes, (pool, nodes) => {
    const count = (nodes: readonly RolloutNode[]) => nodes.filter(isUnavailable).length;
    return count(start(pool, nodes)) <= Math.max(count(nodes), unavailableLimit(pool, nodes.length));
  });
  fc.assert(law, { numRuns: 20_000 });
});

test("a node that is down, cordoned or past its cordon is never given a target", () => {
  const law = fc.property(anyPool, anyNodes, (pool, nodes) =>
    nextNodes(pool, nodes).every(({ isReady, isCordoned }) => isReady && !isCordoned),
  );
  fc.assert(law, { numRuns: 20_000 });
});

test("the order in which nodes were read does not change a plan", () => {
  const turned = fc.array(fc.nat(5), { maxLength: 6 });
  const law = fc.property(anyPool, anyNodes, turned, (pool, nodes, keys) => {
    const shuffled = nodes
      .map((each, at) => ({ each, key: keys[at] ?? 0 }))
      .toSorted((left, right) => left.key - right.key)
      .map(({ each }) => each);
    expect(planWaves(pool, shuffled)).toEqual(planWaves(pool, nodes));
  });
  fc.assert(law, { numRuns: 20_000 });
});

test("whatever the order of steps, a rollout keeps its limit, counts right and ends with all nodes updated", () => {
  const steps = fc.array(fc.nat(5), { maxLength: 40 });
  const free = anyPool.map((pool) => ({ ...pool, isPaused: false }));
  const law = fc.property(free, fc.nat(6), steps, (pool, size, steps) => {
    let nodes: readonly RolloutNode[] = Array.from({ length: size }, (_, at) => node(`n${at}`));
    const limit = unavailableLimit(pool, size);
    const rounds = Array.from({ length: 4 * size }, () => Array.from({ length: size }, (_, at) => at)).flat();
    for (const moved of [...steps, ...rounds]) {
      nodes = start(pool, nodes).map((each, at) => (at === moved ? advance(each) : each));
      if (nodes.filter(isUnavailable).length > limit) return false;
    }
    return nodes.every((each) => isUpdated(each, pool)) && planWaves(pool, nodes).waves.length === 0;
  });
  fc.assert(law, { numRuns: 20_000 });
});

test("the estimate of a free pool has each node once, in as few waves as the limit allows", () => {
  const law = fc.property(anyPool, fc.nat(8), (given, size) => {
    const pool = { ...given, isPaused: false };
    const { waves, blocked } = planWaves(
      pool,
      Array.from({ length: size }, (_, at) => node(`n${at}`)),
    );
    const limit = unavailableLimit(pool, size);
    return (
      blocked.length === 0 &&
      new Set(waves.flat()).size === size &&
      waves.flat().length === size &&
      waves.length === Math.ceil(size / limit)
    );
  });
  fc.assert(law, { numRuns: 20_000 });
});
