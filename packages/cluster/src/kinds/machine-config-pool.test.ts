import type { JsonMap, KubeObject } from "@virt/api";
import { expect, test } from "vitest";
import { foreignPoolConfig, poolOfNode } from "./machine-config-pool.ts";

const selector = (role: string): KubeObject => ({
  apiVersion: "v1",
  kind: "MachineConfigPool",
  metadata: { name: role },
  spec: { nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${role}`]: "" } } },
});
const pools = ["master", "worker", "infra", "gpu"].map(selector);

test.each([
  { reason: "a worker is in worker", roles: ["worker"], owner: "worker" },
  { reason: "a custom pool comes before worker", roles: ["worker", "infra"], owner: "infra" },
  { reason: "a control plane node that is also a worker is in master", roles: ["worker", "master"], owner: "master" },
  { reason: "a custom pool does not take a control plane node", roles: ["master", "infra"], owner: "master" },
  { reason: "a node of two custom pools is in none", roles: ["worker", "infra", "gpu"], owner: undefined },
  { reason: "a node without a role is in none", roles: [], owner: undefined },
])("$reason", ({ roles, owner }) => {
  expect(poolOfNode(Object.fromEntries(roles.map((role) => [`node-role.kubernetes.io/${role}`, ""])), pools)).toBe(
    owner,
  );
});

test.each([
  { reason: "an empty selector selects no node", selector: {}, labels: { a: "b" } },
  { reason: "empty lists select no node", selector: { matchLabels: {}, matchExpressions: [] }, labels: { a: "b" } },
  {
    reason: "a Windows node is in no pool",
    selector: { matchLabels: { a: "b" } },
    labels: { a: "b", "kubernetes.io/os": "windows" },
  },
])("$reason", ({ selector, labels }) => {
  const pool: KubeObject = {
    apiVersion: "v1",
    kind: "MachineConfigPool",
    metadata: { name: "any" },
    spec: { nodeSelector: selector },
  };
  expect(poolOfNode(labels, [pool])).toBeUndefined();
});

const worker = "pools.operator.machineconfiguration.openshift.io/worker";
const config = (name: string, machineConfigPoolSelector?: JsonMap): KubeObject => ({
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "KubeletConfig",
  metadata: { name },
  spec: machineConfigPoolSelector === undefined ? {} : { machineConfigPoolSelector },
});
const selecting = (labels: Readonly<Record<string, string>>) => ({ matchLabels: labels });
const own = config("ours", selecting({ [worker]: "" }));

type Case = {
  reason: string;
  configs: readonly KubeObject[];
  labels?: Readonly<Record<string, string>>;
  found: string | undefined;
};

const cases: readonly Case[] = [
  { reason: "no other object", configs: [own], found: undefined },
  { reason: "another object for the pool", configs: [own, config("b", selecting({ [worker]: "" }))], found: "b" },
  { reason: "the first of two by name", configs: [config("c", {}), config("b", {})], found: "b" },
  { reason: "an object for another pool", configs: [config("b", selecting({ infra: "" }))], found: undefined },
  { reason: "an object without a selector", configs: [config("b")], found: undefined },
  {
    reason: "an object for all built-in pools, without a pool object",
    configs: [config("b", selecting({ "machineconfiguration.openshift.io/mco-built-in": "" }))],
    found: "b",
  },
  {
    reason: "an object that selects a label of the pool",
    configs: [config("b", selecting({ custom: "yes" }))],
    labels: { custom: "yes" },
    found: "b",
  },
  {
    reason: "an object that selects a label the pool lost",
    configs: [config("b", selecting({ [worker]: "" }))],
    labels: {},
    found: undefined,
  },
];

test.each(cases)("$reason", ({ configs, labels, found }) => {
  const fact = labels === undefined ? undefined : { labels, kernelArguments: undefined };
  expect(foreignPoolConfig({ pool: "worker", fact, configs, own: "ours" })).toBe(found);
});
