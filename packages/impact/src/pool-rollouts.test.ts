import type { DisruptionClass, KubeObject } from "@virt/api";
import { readNodeFact } from "@virt/cluster";
import { expect, test } from "vitest";
import { assessed } from "./assessed.ts";
import { readDisruptionPolicies } from "./disruption-class.ts";
import { assessPools } from "./pool-rollouts.ts";
import { annotationPrefix, nodeObject, policyObject, poolObject } from "./testing/cluster-builder.ts";

const annotated = (name: string, annotations: Readonly<Record<string, string>>, isCordoned = false) =>
  nodeObject(name, {
    isCordoned,
    annotations: Object.fromEntries(
      Object.entries(annotations).map(([key, value]) => [`${annotationPrefix}/${key}`, value]),
    ),
  });
const poolsOf = (
  nodes: readonly KubeObject[],
  pool: KubeObject,
  own: DisruptionClass = "Reboot",
  rendered: Readonly<Record<string, KubeObject>> = {},
  policies?: KubeObject,
) =>
  assessPools({
    disruption: [{ pool: pool.metadata.name, class: own }],
    pools: [pool],
    nodes: nodes.map(readNodeFact),
    policies: assessed(readDisruptionPolicies(policies)),
    renderedOf: (name) => rendered[name],
    kubeletConfigs: assessed([]),
  });

const [a, b, c] = ["a", "b", "c"].map((name) => nodeObject(name)) as [KubeObject, KubeObject, KubeObject];
const broken = { ...poolObject("worker"), status: { conditions: [{ type: "RenderDegraded", status: "True" }] } };

const cases: readonly {
  reason: string;
  nodes: readonly KubeObject[];
  pool?: KubeObject;
  starting: string;
  held: string;
  atOnce: number;
  waves: number;
  holdup?: string;
}[] = [
  { reason: "one after another", nodes: [c, a, b], starting: "a,b,c", held: "", atOnce: 1, waves: 3 },
  {
    reason: "no more at once than there are",
    nodes: [a, b],
    pool: poolObject("worker", { maxUnavailable: 5 }),
    starting: "a,b",
    held: "",
    atOnce: 2,
    waves: 1,
  },
  {
    reason: "a paused pool is computed as if it ran, and held",
    nodes: [a, b],
    pool: poolObject("worker", { paused: true }),
    starting: "",
    held: "a,b",
    atOnce: 1,
    waves: 2,
    holdup: "Paused",
  },
  {
    reason: "a pool that cannot render takes up nothing",
    nodes: [a, b],
    pool: broken,
    starting: "",
    held: "a,b",
    atOnce: 0,
    waves: 0,
    holdup: "Degraded",
  },
  {
    reason: "a degraded node takes the only place",
    nodes: [annotated("a", { state: "Degraded" }), b],
    starting: "",
    held: "a,b",
    atOnce: 0,
    waves: 0,
    holdup: "Degraded",
  },
  {
    reason: "a node that cannot take its change in place does as well",
    nodes: [annotated("a", { state: "Unreconcilable" }), b],
    starting: "",
    held: "a,b",
    atOnce: 0,
    waves: 0,
    holdup: "Degraded",
  },
  {
    reason: "a node that has not joined takes the only place",
    nodes: [annotated("a", { currentConfig: "", desiredConfig: "" }), b],
    starting: "",
    held: "a,b",
    atOnce: 0,
    waves: 0,
    holdup: "MaxUnavailableUsed",
  },
  {
    reason: "a cordoned node that leaves room still makes the pool uncertain",
    nodes: [annotated("a", {}, true), b],
    pool: poolObject("worker", { maxUnavailable: 2 }),
    starting: "b",
    held: "a",
    atOnce: 1,
    waves: 1,
    holdup: "Cordoned",
  },
  {
    reason: "a node that is not ready makes the pool uncertain while others start",
    nodes: [{ ...a, status: {} }, b],
    pool: poolObject("worker", { maxUnavailable: 2 }),
    starting: "b",
    held: "a",
    atOnce: 1,
    waves: 1,
    holdup: "NotReady",
  },
  {
    reason: "a pool that reports a degraded node is uncertain while all nodes start",
    nodes: [a, b],
    pool: { ...poolObject("worker"), status: { conditions: [{ type: "NodeDegraded", status: "True" }] } },
    starting: "a,b",
    held: "",
    atOnce: 1,
    waves: 2,
    holdup: "Degraded",
  },
  {
    reason: "cordoned nodes take the places, whatever else is degraded",
    nodes: [annotated("a", {}, true), annotated("b", { state: "Degraded" })],
    starting: "",
    held: "a,b",
    atOnce: 0,
    waves: 0,
    holdup: "MaxUnavailableUsed",
  },
  {
    reason: "a node at work comes back and goes again, and the others wait for that",
    nodes: [annotated("b", { desiredConfig: "rendered-2", state: "Working" }, true), a],
    starting: "b,a",
    held: "",
    atOnce: 1,
    waves: 3,
  },
];

test.each(cases)("$reason", ({ nodes, pool = poolObject("worker"), starting, held, atOnce, waves, holdup }) => {
  const [found] = poolsOf(nodes, pool);
  expect(found?.starting.join()).toBe(starting);
  expect(found?.held.join()).toBe(held);
  expect([found?.atOnce, found?.waves.length, found?.holdup]).toEqual([atOnce, waves, holdup]);
});

const withFile = (mode: number): KubeObject => ({
  apiVersion: `${annotationPrefix}/v1`,
  kind: "MachineConfig",
  metadata: { name: "rendered" },
  spec: { config: { storage: { files: [{ path: "/etc/a", mode }] } } },
});
const drainPolicy = policyObject({ "/etc/a": ["Drain"] });

test.each([
  { reason: "nothing else waits", node: a, rendered: {}, expected: "Reload" },
  {
    reason: "what waits in the pool comes with the plan",
    node: annotated("a", { currentConfig: "rendered-0" }),
    rendered: { "rendered-0": withFile(1), "rendered-1": withFile(2) },
    expected: "Drain",
  },
  {
    reason: "a configuration that could not be read may be anything",
    node: annotated("a", { currentConfig: "rendered-0" }),
    rendered: { "rendered-1": withFile(2) },
    expected: "Reboot",
  },
  {
    reason: "an image built on the cluster reboots",
    node: annotated("a", { desiredImage: "registry/image" }),
    rendered: {},
    expected: "Reboot",
  },
])("the class of a node where the plan reloads: $reason", ({ node, rendered, expected }) => {
  const [found] = poolsOf([node, b], poolObject("worker"), "Reload", rendered, drainPolicy);
  expect(found?.nodes.map((each) => [each.node.name, each.class])).toEqual([
    ["a", expected],
    ["b", "Reload"],
  ]);
  expect(found?.class).toBe(expected);
});

test("a pool without nodes and one to which nothing happens are left out", () => {
  expect(poolsOf([], poolObject("worker"))).toEqual([]);
  expect(poolsOf([a], poolObject("worker"), "None")).toEqual([]);
});
