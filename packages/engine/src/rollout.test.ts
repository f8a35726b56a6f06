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
const node = (name: string, given: Partial<RolloutNode> = {}): RolloutNode => ({
  name,
  current: "old",
  desired: "old",
  phase: "Updated",
  isReady: true,
  isCordoned: false,
  ...given,
});
const updated = { current: "new", desired: "new" };
const names = (nodes: readonly RolloutNode[]) => nodes.map(({ name }) => name).join();

const choices: readonly {
  reason: string;
  given?: Partial<RolloutPool>;
  nodes: readonly RolloutNode[];
  next: string;
}[] = [
  { reason: "one node at a time", nodes: [node("a"), node("b")], next: "a" },
  {
    reason: "as many as may be unavailable",
    given: { maxUnavailable: 2 },
    nodes: [node("a"), node("b"), node("c")],
    next: "a,b",
  },
  {
    reason: "a percentage is rounded down",
    given: { maxUnavailable: "50%" },
    nodes: [node("a"), node("b"), node("c"), node("d"), node("e")],
    next: "a,b",
  },
  { reason: "a paused pool starts nothing", given: { isPaused: true }, nodes: [node("a")], next: "" },
  {
    reason: "a node at work takes the place of another",
    nodes: [node("a", { desired: "new", phase: "Rebooting", isReady: false }), node("b")],
    next: "",
  },
  {
    reason: "a node that somebody cordoned takes a place",
    nodes: [node("a", { ...updated, isCordoned: true }), node("b")],
    next: "",
  },
  {
    reason: "a node that is down takes a place",
    given: { maxUnavailable: 2 },
    nodes: [node("a", { ...updated, isReady: false }), node("b"), node("c")],
    next: "b",
  },
  {
    reason: "a node that fails on this configuration takes a place",
    nodes: [node("a", { desired: "new", phase: "Degraded" }), node("b")],
    next: "",
  },
  {
    reason: "a node that failed on another configuration gets this one",
    nodes: [node("a", { desired: "bad", phase: "Degraded" }), node("b", updated)],
    next: "a",
  },
  {
    reason: "zone by zone, those without one last, the oldest first",
    given: { maxUnavailable: 9 },
    nodes: [
      node("a"),
      node("b", { zone: "2" }),
      node("c", { zone: "1", created: "2025-01-02T00:00:00Z" }),
      node("d", { zone: "1", created: "2025-01-01T00:00:00Z" }),
    ],
    next: "d,c,b,a",
  },
  { reason: "an updated node is left alone", nodes: [node("a", updated), node("b")], next: "b" },
];

test.each(choices)("$reason", ({ given, nodes, next }) => {
  expect(names(nextNodes({ ...pool, ...given }, nodes))).toBe(next);
});

test("a limit is at least one, whatever is written there", () => {
  const limits = ([undefined, 0, 1, 3, "10%", "34%", "100%", "x", "0%", -1, 1.5, "2"] as const).map((given) =>
    unavailableLimit({ ...pool, ...(given === undefined ? {} : { maxUnavailable: given }) }, 10),
  );
  expect(limits).toEqual([1, 1, 1, 3, 1, 3, 10, 1, 1, 1, 1, 2]);
});

const plans: readonly {
  reason: string;
  given?: Partial<RolloutPool>;
  nodes: readonly RolloutNode[];
  waves: readonly string[];
  blocked?: string;
}[] = [
  {
    reason: "three workers reboot one after the other",
    nodes: [node("a"), node("b"), node("c")],
    waves: ["a", "b", "c"],
  },
  {
    reason: "two at a time make two waves of three",
    given: { maxUnavailable: 2 },
    nodes: [node("a"), node("b"), node("c")],
    waves: ["a,b", "c"],
  },
  {
    reason: "a node at work is in the first wave",
    nodes: [node("a"), node("b", { desired: "new", phase: "Draining", isCordoned: true })],
    waves: ["b", "a"],
  },
  {
    reason: "a node on its way to an older target reboots twice",
    nodes: [node("a", { desired: "mid", phase: "Applying", isCordoned: true })],
    waves: ["a", "a"],
  },
  {
    reason: "a pause blocks all but those at work",
    given: { isPaused: true },
    nodes: [node("a"), node("b", { desired: "new", phase: "Applying" })],
    waves: ["b"],
    blocked: "a",
  },
  {
    reason: "a cordoned node blocks a pool that allows one",
    nodes: [node("a", { isCordoned: true }), node("b")],
    waves: [],
    blocked: "a,b",
  },
  {
    reason: "a node that is down stays down, and takes a place",
    given: { maxUnavailable: 2 },
    nodes: [node("a", { isReady: false }), node("b"), node("c")],
    waves: ["b", "c"],
    blocked: "a",
  },
  { reason: "a pool without nodes has nothing to do", nodes: [], waves: [] },
];

test.each(plans)("$reason", ({ given, nodes, waves, blocked = "" }) => {
  const plan = planWaves({ ...pool, ...given }, nodes);
  expect(plan.waves.map((wave) => wave.join())).toEqual(waves);
  expect(plan.blocked.join()).toBe(blocked);
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
  const next = names(nextNodes(pool, nodes)).split(",");
  return nodes.map((each) => (next.includes(each.name) ? begin(each, pool) : each));
};

test("starting nodes never makes more of them unavailable than the pool allows", () => {
  const law = fc.property(anyPool, anyNodes, (pool, nodes) => {
    const count = (nodes: readonly RolloutNode[]) => nodes.filter(isUnavailable).length;
    return count(start(pool, nodes)) <= Math.max(count(nodes), unavailableLimit(pool, nodes.length));
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
