import type { KubeObject } from "@virt/api";
import { runsForCost } from "@virt/testkit/law-runs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { renderConfig, roleLabel } from "./kinds/machine-config.ts";
import { nodesForVms, nodesWithout, rolesOf, settledConfigs } from "./vm-nodes.ts";

const api = "machineconfiguration.openshift.io/v1";

type NodeOptions = { roles: readonly string[]; isLabelled?: boolean; taint?: string; effect?: string; config?: string };

function node(name: string, { roles, isLabelled, taint, effect = "NoSchedule", config }: NodeOptions): KubeObject {
  const labels = {
    ...Object.fromEntries(roles.map((role) => [`node-role.kubernetes.io/${role}`, ""])),
    ...(isLabelled !== undefined && { "kubevirt.io/schedulable": `${isLabelled}` }),
  };
  const annotations = config === undefined ? {} : { "machineconfiguration.openshift.io/currentConfig": config };
  const taints = taint === undefined ? [] : [{ key: taint, effect }];
  return { apiVersion: "v1", kind: "Node", metadata: { name, labels, annotations }, spec: { taints } };
}

function pool(name: string, machineCount: number, configuration?: { current: string; wanted: string }): KubeObject {
  const values = name === "worker" || name === "master" ? [name] : ["worker", name];
  return {
    apiVersion: api,
    kind: "MachineConfigPool",
    metadata: { name },
    spec: {
      nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: "" } },
      machineConfigSelector: { matchExpressions: [{ key: roleLabel, operator: "In", values }] },
      ...(configuration && { configuration: { name: configuration.wanted } }),
    },
    status: { machineCount, ...(configuration && { configuration: { name: configuration.current } }) },
  };
}

const names = (nodes: readonly KubeObject[]) => nodes.map(({ metadata }) => metadata.name);

test.each<{ reason: string; nodes: readonly KubeObject[]; capable: readonly string[] }>([
  {
    reason: "KubeVirt's label decides if any node has it",
    nodes: [
      node("a", { roles: ["worker"], isLabelled: true }),
      node("b", { roles: ["worker"], isLabelled: false }),
      node("c", { roles: ["worker"] }),
    ],
    capable: ["a"],
  },
  {
    reason: "the label counts on a tainted node",
    nodes: [node("a", { roles: ["master"], isLabelled: true, taint: "node-role.kubernetes.io/master" })],
    capable: ["a"],
  },
  {
    reason: "without any label, every node without a reserved taint counts",
    nodes: [
      node("a", { roles: ["master"], taint: "node-role.kubernetes.io/master" }),
      node("b", { roles: ["worker"] }),
      node("c", { roles: ["worker"], isLabelled: false }),
      node("d", { roles: ["worker"], taint: "gpu", effect: "PreferNoSchedule" }),
    ],
    capable: ["b", "c", "d"],
  },
  {
    reason: "a cordon or reboot does not exclude a node",
    nodes: [
      node("a", { roles: ["worker"], taint: "node.kubernetes.io/unschedulable" }),
      node("b", { roles: ["worker"], taint: "node.kubernetes.io/not-ready" }),
    ],
    capable: ["a", "b"],
  },
])("$reason", ({ nodes, capable }) => {
  expect(names(nodesForVms(nodes))).toEqual(capable);
});

const compact = node("node-0", { roles: ["master", "control-plane", "worker"], isLabelled: true });
const worker = node("worker-0", { roles: ["worker"], isLabelled: true });
const infra = node("infra-0", { roles: ["worker", "infra"], isLabelled: true });

test.each<{ reason: string; nodes: readonly KubeObject[]; pools: readonly KubeObject[]; roles: readonly string[] }>([
  { reason: "workers", nodes: [worker], pools: [pool("master", 3), pool("worker", 1)], roles: ["worker"] },
  { reason: "a compact cluster", nodes: [compact], pools: [pool("master", 3), pool("worker", 0)], roles: ["master"] },
  {
    reason: "workers, and a control plane with VMs",
    nodes: [compact, worker],
    pools: [pool("master", 3), pool("worker", 1)],
    roles: ["worker", "master"],
  },
  {
    reason: "workers in a custom pool get the configs of worker",
    nodes: [infra],
    pools: [pool("worker", 0), pool("infra", 1)],
    roles: ["worker"],
  },
  {
    reason: "workers without VMs beside a control plane with VMs",
    nodes: [compact],
    pools: [pool("master", 3), pool("worker", 3)],
    roles: ["master"],
  },
  { reason: "no node for VMs, but machines in the pool", nodes: [], pools: [pool("worker", 3)], roles: ["worker"] },
  { reason: "no node for VMs and no machine", nodes: [], pools: [pool("worker", 0), pool("infra", 0)], roles: [] },
  { reason: "missing pools", nodes: [worker], pools: [], roles: ["worker"] },
  {
    reason: "a pool without status is not empty",
    nodes: [],
    pools: [{ ...pool("worker", 0), status: {} }],
    roles: ["worker"],
  },
])("roles: $reason", ({ nodes, pools, roles }) => {
  expect(rolesOf(nodes, pools)).toEqual(roles);
});

const swap: KubeObject = {
  apiVersion: api,
  kind: "MachineConfig",
  metadata: { name: "90-swap", labels: { [roleLabel]: "worker" } },
  spec: { config: { storage: { files: [{ path: "/etc/swap", mode: 420, contents: { source: "data:,on" } }] } } },
};
const rendered = (role: string, configs: readonly KubeObject[]) => {
  const machineConfigSelector = { matchLabels: { [roleLabel]: "worker" } };
  const { object } = renderConfig({ ...pool(role, 1), spec: { machineConfigSelector } }, configs);
  return { ...object, metadata: { name: `rendered-${role}-${configs.length}` } };
};
const configs = new Map([rendered("worker", []), rendered("worker", [swap])].map((one) => [one.metadata.name, one]));
const renderedOf = (name: string) => configs.get(name);
const [without, having] = ["rendered-worker-0", "rendered-worker-1"];
const at = (config: string) => node(`on-${config}`, { roles: ["worker"], config });

test.each<{ reason: string; vmNodes: readonly KubeObject[]; pools: readonly KubeObject[]; lacking: number }>([
  {
    reason: "a node with the configuration in a settled pool has it",
    vmNodes: [at(having)],
    pools: [pool("worker", 1, { current: having, wanted: having })],
    lacking: 0,
  },
  {
    reason: "a node in an updating pool lacks it",
    vmNodes: [at(having)],
    pools: [pool("worker", 2, { current: without, wanted: having })],
    lacking: 1,
  },
  {
    reason: "a node with another configuration lacks it",
    vmNodes: [at(without)],
    pools: [pool("worker", 1, { current: having, wanted: having })],
    lacking: 1,
  },
  {
    reason: "a configuration without it does not count",
    vmNodes: [at(without)],
    pools: [pool("worker", 1, { current: without, wanted: without })],
    lacking: 1,
  },
  {
    reason: "a pool without machines does not count",
    vmNodes: [at("rendered-master-0")],
    pools: [
      pool("worker", 0, { current: having, wanted: having }),
      pool("master", 1, { current: "rendered-master-0", wanted: "rendered-master-0" }),
    ],
    lacking: 1,
  },
  {
    reason: "an unread configuration does not count",
    vmNodes: [at("rendered-worker-9")],
    pools: [pool("worker", 1, { current: "rendered-worker-9", wanted: "rendered-worker-9" })],
    lacking: 1,
  },
  {
    reason: "a node that has not joined lacks it",
    vmNodes: [node("new", { roles: ["worker"] })],
    pools: [pool("worker", 1, { current: having, wanted: having })],
    lacking: 1,
  },
])("$reason", ({ vmNodes, pools, lacking }) => {
  expect(nodesWithout(swap, { vmNodes, pools, renderedOf })).toHaveLength(lacking);
});

test("no node lacks it exactly if all run settled configurations with it", () => {
  const config = fc.constantFrom(without, having, "rendered-worker-9", undefined);
  const law = fc.property(
    fc.array(config, { maxLength: 4 }),
    fc.array(fc.record({ current: fc.constantFrom(without, having), wanted: fc.constantFrom(without, having) }), {
      maxLength: 3,
    }),
    (running, aims) => {
      const vmNodes = running.map((one, place) =>
        node(`n${place}`, { roles: ["worker"], ...(one && { config: one }) }),
      );
      const pools = aims.map((aim, place) => pool(`p${place}`, 1, aim));
      const isAtRest = aims.some(({ current, wanted }) => current === having && wanted === having);
      const expected = running.every((one) => one === having && isAtRest);
      return (nodesWithout(swap, { vmNodes, pools, renderedOf }).length === 0) === expected;
    },
  );
  fc.assert(law, runsForCost(10));
});

test("reads only the configurations of nodes for VMs", () => {
  const pools = [
    pool("worker", 1, { current: having, wanted: having }),
    pool("infra", 1, { current: "x", wanted: "x" }),
  ];
  expect(settledConfigs([at(having)], pools)).toEqual([having]);
});
