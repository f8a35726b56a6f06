import { expect, test } from "vitest";
import { nextNodes, planWaves, type RolloutNode, type RolloutPool, unavailableLimit } from "./rollout.ts";
import { pool, rolloutNode } from "./testing/any-rollout.ts";

const updated = { current: "new", desired: "new" };
const names = (nodes: readonly RolloutNode[]) => nodes.map(({ name }) => name).join();

const choices: readonly {
  reason: string;
  given?: Partial<RolloutPool>;
  nodes: readonly RolloutNode[];
  next: string;
}[] = [
  { reason: "one node at a time", nodes: [rolloutNode("a"), rolloutNode("b")], next: "a" },
  {
    reason: "as many as the limit",
    given: { maxUnavailable: 2 },
    nodes: [rolloutNode("a"), rolloutNode("b"), rolloutNode("c")],
    next: "a,b",
  },
  {
    reason: "rounds a percentage down",
    given: { maxUnavailable: "50%" },
    nodes: [rolloutNode("a"), rolloutNode("b"), rolloutNode("c"), rolloutNode("d"), rolloutNode("e")],
    next: "a,b",
  },
  { reason: "a paused pool starts nothing", given: { isPaused: true }, nodes: [rolloutNode("a")], next: "" },
  {
    reason: "an updating node takes a place",
    nodes: [rolloutNode("a", { desired: "new", phase: "Rebooting", isReady: false }), rolloutNode("b")],
    next: "",
  },
  {
    reason: "a cordoned node takes a place",
    nodes: [rolloutNode("a", { ...updated, isCordoned: true }), rolloutNode("b")],
    next: "",
  },
  {
    reason: "an unready node takes a place",
    given: { maxUnavailable: 2 },
    nodes: [rolloutNode("a", { ...updated, isReady: false }), rolloutNode("b"), rolloutNode("c")],
    next: "b",
  },
  {
    reason: "a node that fails on this target takes a place",
    nodes: [rolloutNode("a", { desired: "new", phase: "Degraded" }), rolloutNode("b")],
    next: "",
  },
  {
    reason: "a node that failed on another target gets this one",
    nodes: [rolloutNode("a", { desired: "bad", phase: "Degraded" }), rolloutNode("b", updated)],
    next: "a",
  },
  {
    reason: "orders by zone, those without one last, then by age",
    given: { maxUnavailable: 9 },
    nodes: [
      rolloutNode("a"),
      rolloutNode("b", { zone: "2" }),
      rolloutNode("c", { zone: "1", created: "2025-01-02T00:00:00Z" }),
      rolloutNode("d", { zone: "1", created: "2025-01-01T00:00:00Z" }),
    ],
    next: "d,c,b,a",
  },
  { reason: "skips an updated node", nodes: [rolloutNode("a", updated), rolloutNode("b")], next: "b" },
  {
    reason: "an updating node finishes another target first",
    given: { maxUnavailable: 2 },
    nodes: [
      rolloutNode("a", { desired: "mid", phase: "Applying", isCordoned: true }),
      rolloutNode("b"),
      rolloutNode("c"),
    ],
    next: "b",
  },
  {
    reason: "a node that has not started another target gets this one",
    given: { maxUnavailable: 2 },
    nodes: [rolloutNode("a", { desired: "mid" }), rolloutNode("b"), rolloutNode("c")],
    next: "a",
  },
  {
    reason: "skips a cordoned node",
    given: { maxUnavailable: 2 },
    nodes: [rolloutNode("a", { isCordoned: true }), rolloutNode("b"), rolloutNode("c")],
    next: "b",
  },
  {
    reason: "skips an unready node",
    given: { maxUnavailable: 2 },
    nodes: [rolloutNode("a", { isReady: false }), rolloutNode("b"), rolloutNode("c")],
    next: "b",
  },
];

test.each(choices)("$reason", ({ given, nodes, next }) => {
  expect(names(nextNodes({ ...pool, ...given }, nodes))).toBe(next);
});

test("a limit is at least one, and invalid ones are undefined", () => {
  const limits = (
    [undefined, 0, 1, 3, "10%", "34%", "100%", "200%", "0%", "+20%", "x", "2", "%", "1.5%", -1, "-20%", 1.5] as const
  ).map((given) => unavailableLimit({ ...pool, ...(given === undefined ? {} : { maxUnavailable: given }) }, 10));
  const none = undefined;
  expect(limits).toEqual([1, 1, 1, 3, 1, 3, 10, 20, 1, 2, none, none, none, none, none, none, none]);
});

const plans: readonly {
  reason: string;
  given?: Partial<RolloutPool>;
  nodes: readonly RolloutNode[];
  waves: readonly string[];
  blocked?: string;
}[] = [
  {
    reason: "three workers reboot one after another",
    nodes: [rolloutNode("a"), rolloutNode("b"), rolloutNode("c")],
    waves: ["a", "b", "c"],
  },
  {
    reason: "two at a time make two waves of three",
    given: { maxUnavailable: 2 },
    nodes: [rolloutNode("a"), rolloutNode("b"), rolloutNode("c")],
    waves: ["a,b", "c"],
  },
  {
    reason: "an updating node is in the first wave",
    nodes: [rolloutNode("a"), rolloutNode("b", { desired: "new", phase: "Draining", isCordoned: true })],
    waves: ["b", "a"],
  },
  {
    reason: "a node on an older target reboots twice",
    nodes: [rolloutNode("a", { desired: "mid", phase: "Applying", isCordoned: true })],
    waves: ["a", "a"],
  },
  {
    reason: "a pause blocks all but updating nodes",
    given: { isPaused: true },
    nodes: [rolloutNode("a"), rolloutNode("b", { desired: "new", phase: "Applying" })],
    waves: ["b"],
    blocked: "a",
  },
  {
    reason: "a cordoned node blocks a pool with one place",
    nodes: [rolloutNode("a", { isCordoned: true }), rolloutNode("b")],
    waves: [],
    blocked: "a,b",
  },
  {
    reason: "an unready node keeps its place",
    given: { maxUnavailable: 2 },
    nodes: [rolloutNode("a", { isReady: false }), rolloutNode("b"), rolloutNode("c")],
    waves: ["b", "c"],
    blocked: "a",
  },
  {
    reason: "a cordoned node is omitted in a pool with two places",
    given: { maxUnavailable: 2 },
    nodes: [rolloutNode("a", { isCordoned: true }), rolloutNode("b"), rolloutNode("c")],
    waves: ["b", "c"],
    blocked: "a",
  },
  {
    reason: "a wave lists its nodes in start order",
    given: { maxUnavailable: 2 },
    nodes: [
      rolloutNode("d", { zone: "1" }),
      rolloutNode("c"),
      rolloutNode("b", { zone: "1" }),
      rolloutNode("a", { zone: "2" }),
    ],
    waves: ["b,d", "a,c"],
  },
  {
    reason: "after a new target, updating nodes reboot twice without delaying others",
    given: { maxUnavailable: 2 },
    nodes: [
      rolloutNode("a", { desired: "mid", phase: "Applying", isCordoned: true }),
      rolloutNode("b"),
      rolloutNode("c"),
    ],
    waves: ["a,b", "a,c"],
  },
  { reason: "a pool without nodes has no waves", nodes: [], waves: [] },
  {
    reason: "an invalid limit stops the pool",
    given: { maxUnavailable: "2" },
    nodes: [rolloutNode("a"), rolloutNode("b")],
    waves: [],
    blocked: "a,b",
  },
  {
    reason: "a node that has not joined takes a place and does not start",
    given: { maxUnavailable: 2 },
    nodes: [rolloutNode("a", { current: "", desired: "" }), rolloutNode("b"), rolloutNode("c")],
    waves: ["b", "c"],
    blocked: "a",
  },
];

test.each(plans)("$reason", ({ given, nodes, waves, blocked = "" }) => {
  const plan = planWaves({ ...pool, ...given }, nodes);
  expect(plan.waves.map((wave) => wave.join())).toEqual(waves);
  expect(plan.blocked.join()).toBe(blocked);
});
