// Ours yields to a KubeletConfig that selects the same pool.

import type { JsonMap, KubeObject } from "@virt/api";
import { expect, test } from "vitest";
import { foreignPoolConfig } from "./pool-rule.ts";

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
  { reason: "nobody else", configs: [own], found: undefined },
  { reason: "another one for the pool", configs: [own, config("b", selecting({ [worker]: "" }))], found: "b" },
  { reason: "the first by name", configs: [config("c", {}), config("b", {})], found: "b" },
  { reason: "one for another pool", configs: [config("b", selecting({ infra: "" }))], found: undefined },
  { reason: "one without a selector", configs: [config("b")], found: undefined },
  {
    reason: "one for all built-in pools, while there is no pool object",
    configs: [config("b", selecting({ "machineconfiguration.openshift.io/mco-built-in": "" }))],
    found: "b",
  },
  {
    reason: "one that goes by a label of the pool",
    configs: [config("b", selecting({ custom: "yes" }))],
    labels: { custom: "yes" },
    found: "b",
  },
  {
    reason: "one that goes by a label which the pool lost",
    configs: [config("b", selecting({ [worker]: "" }))],
    labels: {},
    found: undefined,
  },
];

test.each(cases)("$reason", ({ configs, labels, found }) => {
  const fact = labels === undefined ? undefined : { labels, kernelArguments: undefined };
  expect(foreignPoolConfig({ pool: "worker", fact, configs, own: "ours" })).toBe(found);
});
