import { disruptionClasses } from "@virt/api";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  advanceRollout,
  beginRollout,
  isUnavailable,
  isUpdated,
  nextNodes,
  planWaves,
  type RolloutNode,
  type RolloutPool,
  unavailableLimit,
} from "./rollout.ts";
import { anyNodes, anyPool, rolloutNode } from "./testing/any-rollout.ts";

const start = (pool: RolloutPool, nodes: readonly RolloutNode[]) => {
  const next = nextNodes(pool, nodes).map(({ name }) => name);
  return nodes.map((each) => (next.includes(each.name) ? beginRollout(each, pool) : each));
};

test("starting nodes never exceeds the limit of the pool", () => {
  const law = fc.property(anyPool, anyNodes, (pool, nodes) => {
    const count = (nodes: readonly RolloutNode[]) => nodes.filter(isUnavailable).length;
    return count(start(pool, nodes)) <= Math.max(count(nodes), unavailableLimit(pool, nodes.length) ?? 0);
  });
  fc.assert(law);
});

test("a node that is down, cordoned or draining gets no target", () => {
  const law = fc.property(anyPool, anyNodes, (pool, nodes) =>
    nextNodes(pool, nodes).every(({ isReady, isCordoned }) => isReady && !isCordoned),
  );
  fc.assert(law);
});

test("the order of nodes does not change the waves", () => {
  const turned = fc.array(fc.nat(5), { maxLength: 6 });
  const law = fc.property(anyPool, anyNodes, turned, (pool, nodes, keys) => {
    const shuffled = nodes
      .map((each, at) => ({ each, key: keys[at] ?? 0 }))
      .toSorted((left, right) => left.key - right.key)
      .map(({ each }) => each);
    expect(planWaves(pool, shuffled)).toEqual(planWaves(pool, nodes));
  });
  fc.assert(law);
});

test("in any order of steps, a rollout keeps its limit and updates all nodes", () => {
  const steps = fc.array(fc.nat(5), { maxLength: 40 });
  const free = anyPool.map((pool) => ({ ...pool, isPaused: false }));
  const anyUpdate = fc.record({ disruption: fc.constantFrom(...disruptionClasses), isDrained: fc.boolean() });
  const law = fc.property(free, fc.nat(6), steps, anyUpdate, (pool, size, steps, update) => {
    let nodes: readonly RolloutNode[] = Array.from({ length: size }, (_, at) => rolloutNode(`n${at}`));
    const limit = unavailableLimit(pool, size) ?? 0;
    const rounds = Array.from({ length: 4 * size }, () => Array.from({ length: size }, (_, at) => at)).flat();
    for (const moved of [...steps, ...rounds]) {
      nodes = start(pool, nodes).map((each, at) => (at === moved ? advanceRollout(each, update) : each));
      if (nodes.filter(isUnavailable).length > limit) return false;
    }
    return nodes.every((each) => isUpdated(each, pool)) && planWaves(pool, nodes).waves.length === 0;
  });
  fc.assert(law);
});

test("the estimate has each node once, in as few waves as possible", () => {
  const law = fc.property(anyPool, fc.nat(8), (given, size) => {
    const pool = { ...given, isPaused: false };
    const { waves, blocked } = planWaves(
      pool,
      Array.from({ length: size }, (_, at) => rolloutNode(`n${at}`)),
    );
    const limit = unavailableLimit(pool, size) ?? 0;
    return (
      blocked.length === 0 &&
      new Set(waves.flat()).size === size &&
      waves.flat().length === size &&
      waves.length === Math.ceil(size / limit)
    );
  });
  fc.assert(law);
});
