import type { JsonMap, KubeObject } from "@virt/api";
import { expect, test } from "vitest";
import { densitySettings } from "./facts.ts";
import { configureDensity } from "./hyperconverged.ts";
import { reportSwap, shortfallWarning, swapOf } from "./swap-on-nodes.ts";
import { factsWith } from "./testing/facts.ts";

const GiB = 2 ** 30;
const config = "rendered-worker-1";

function node(name: string, swapGiB?: number, version = "v1.33.2"): KubeObject {
  const nodeInfo: JsonMap = {
    kubeletVersion: version,
    ...(swapGiB !== undefined && { swap: { capacity: swapGiB * GiB } }),
  };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, annotations: { "machineconfiguration.openshift.io/currentConfig": config } },
    status: { capacity: { memory: "256Gi" }, nodeInfo },
  };
}

function pool(...sources: readonly string[]): KubeObject {
  const source = sources.map((name) => ({ name }));
  return {
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfigPool",
    metadata: { name: "worker" },
    status: { configuration: { name: config, source } },
  };
}

const inForce = [pool("00-worker", "90-worker-kubelet-swap")];
const notInForce = [pool("00-worker")];

test.each([
  { reason: "uses the swap that the kubelet reports", seen: node("a", 64), pools: notInForce, bytes: 64 * GiB },
  {
    reason: "without a report, swap is 0 if our configuration is effective",
    seen: node("a"),
    pools: inForce,
    bytes: 0,
  },
  {
    reason: "without a report, the configuration of the control plane also counts",
    seen: node("a"),
    pools: [pool("90-master-kubelet-swap")],
    bytes: 0,
  },
  { reason: "a reported 0 means that there is none", seen: node("a", 0), pools: inForce, bytes: 0 },
  {
    reason: "without our configuration, missing swap is unknown",
    seen: node("a"),
    pools: notInForce,
    bytes: undefined,
  },
  {
    reason: "a kubelet before 1.33 reports no swap",
    seen: node("a", undefined, "v1.32.9"),
    pools: inForce,
    bytes: undefined,
  },
])("$reason", ({ seen, pools, bytes }) => {
  expect(swapOf(seen, pools)).toBe(bytes);
});

test.each([
  { nodes: [node("a", 64), node("b", 64)], text: "swap is active on 2 of 2 nodes" },
  { nodes: [node("a", 64), node("b")], text: "swap is active on 1 of 2 nodes, not on b" },
  { nodes: [node("a", undefined, "v1.31.0")], text: "swap is active on 0 of 1 nodes, unknown on 1" },
  {
    nodes: [node("a"), node("b"), node("c"), node("d"), node("e", undefined, "v1.32.0")],
    text: "swap is active on 0 of 5 nodes, not on a, b, c and 1 more, unknown on 1",
  },
])("$text", ({ nodes, text }) => {
  expect(reportSwap(nodes, inForce)).toBe(text);
});

test("warns if known swap does not cover the overcommitted memory", () => {
  const three = ["a", "b", "c"].map((name) => node(name, 64));
  const warning =
    "memoryOvercommitPercentage=150 is not covered by swap in the worst case: up to 64.0 GiB is missing on 3 nodes (a, b, c)";
  expect(shortfallWarning(150, three, inForce)).toEqual([warning]);
  expect(shortfallWarning(125, three, inForce)).toEqual([]);
  expect(shortfallWarning(100, [node("a")], inForce)).toEqual([]);
  expect(shortfallWarning(150, [node("a")], notInForce)).toEqual([]);
  expect(shortfallWarning(150, [node("a")], inForce)).toEqual([
    "memoryOvercommitPercentage=150 is not covered by swap in the worst case: up to 128.0 GiB is missing on 1 node (a)",
  ]);
  const facts = factsWith({ vmNodes: { roles: ["worker"], nodes: three }, pools: inForce });
  expect(configureDensity(densitySettings(undefined), facts).warnings).toEqual([warning]);
});
