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
  { reason: "one at a time", nodes: [c, a, b], starting: "a,b,c", held: "", atOnce: 1, waves: 3 },
  {
    reason: "not more at a time than nodes",
    nodes: [a, b],
    pool: poolObject("worker", { maxUnavailable: 5 }),
    starting: "a,b",
    held: "",
    atOnce: 2,
    waves: 1,
  },
  {
    reason: "a paused pool is simulated and held",
    nodes: [a, b],
    pool: poolObject("worker", { paused: true }),
    starting: "",
    held: "a,b",
    atOnce: 1,
    waves: 2,
    holdup: "Paused",
  },
  {
    reason: "a pool that cannot render is blocked",
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
    reason: "an unreconcilable node takes the only place",
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
    reason: "a cordoned node makes the pool uncertain, even with room",
    nodes: [annotated("a", {}, true), b],
    pool: poolObject("worker", { maxUnavailable: 2 }),
    starting: "b",
    held: "a",
    atOnce: 1,
    waves: 1,
    holdup: "Cordoned",
  },
  {
    reason: "an unready node makes the pool uncertain while others start",
    nodes: [{ ...a, status: {} }, b],
    pool: poolObject("worker", { maxUnavailable: 2 }),
    starting: "b",
    held: "a",
    atOnce: 1,
    waves: 1,
    holdup: "NotReady",
  },
  {
    reason: "a reported degraded node makes the pool uncertain",
    nodes: [a, b],
    pool: { ...poolObject("worker"), status: { conditions: [{ type: "NodeDegraded", status: "True" }] } },
    starting: "a,b",
    held: "",
    atOnce: 1,
    waves: 2,
    holdup: "Degraded",
  },
  {
    reason: "cordoned nodes take the places, also with degraded ones",
    nodes: [annotated("a", {}, true), annotated("b", { state: "Degraded" })],
    starting: "",
    held: "a,b",
    atOnce: 0,
    waves: 0,
    holdup: "MaxUnavailableUsed",
  },
  {
    reason: "an updating node returns and updates again while others wait",
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
  { reason: "no queued change", node: a, rendered: {}, expected: "Reload" },
  {
    reason: "a queued change joins the plan",
    node: annotated("a", { currentConfig: "rendered-0" }),
    rendered: { "rendered-0": withFile(1), "rendered-1": withFile(2) },
    expected: "Drain",
  },
  {
    reason: "an unread configuration reboots",
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
])("the class of a node if the plan reloads: $reason", ({ node, rendered, expected }) => {
  const [found] = poolsOf([node, b], poolObject("worker"), "Reload", rendered, drainPolicy);
  expect(found?.nodes.map((each) => [each.node.name, each.class])).toEqual([
    ["a", expected],
    ["b", "Reload"],
  ]);
  expect(found?.class).toBe(expected);
});

test("omits pools without nodes or changes", () => {
  expect(poolsOf([], poolObject("worker"))).toEqual([]);
  expect(poolsOf([a], poolObject("worker"), "None")).toEqual([]);
});
