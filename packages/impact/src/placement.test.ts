import type { Json, JsonMap } from "@virt/api";
import { readNodeFact, readPlacement } from "@virt/cluster";
import { expect, test } from "vitest";
import { assumesLabels, qualifies } from "./placement.ts";
import { nodeObject, vmObject } from "./testing/cluster-builder.ts";

const gpu = { key: "gpu", value: "yes", effect: "NoSchedule" };
const required = (...terms: readonly Json[]): JsonMap => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } },
});
const expression = (key: string, operator: string, ...values: readonly string[]) =>
  required({ matchExpressions: [{ key, operator, values }] });

const cases: readonly { reason: string; node?: Parameters<typeof nodeObject>[1]; spec?: JsonMap; takes: boolean }[] = [
  { reason: "a plain VM", takes: true },
  { reason: "a node that is not for VMs", node: { labels: { "kubevirt.io/schedulable": "false" } }, takes: false },
  { reason: "a cordoned node", node: { isCordoned: true }, takes: false },
  { reason: "a taint", node: { taints: [gpu] }, takes: false },
  { reason: "a soft taint", node: { taints: [{ ...gpu, effect: "PreferNoSchedule" }] }, takes: true },
  {
    reason: "a toleration by value",
    node: { taints: [gpu] },
    spec: { tolerations: [{ key: "gpu", value: "yes" }] },
    takes: true,
  },
  {
    reason: "a toleration of another value",
    node: { taints: [gpu] },
    spec: { tolerations: [{ key: "gpu", value: "no" }] },
    takes: false,
  },
  {
    reason: "a toleration of the key",
    node: { taints: [gpu] },
    spec: { tolerations: [{ key: "gpu", operator: "Exists" }] },
    takes: true,
  },
  {
    reason: "a toleration of everything",
    node: { taints: [gpu] },
    spec: { tolerations: [{ operator: "Exists" }] },
    takes: true,
  },
  {
    reason: "a toleration of another effect",
    node: { taints: [gpu] },
    spec: { tolerations: [{ key: "gpu", operator: "Exists", effect: "NoExecute" }] },
    takes: false,
  },
  { reason: "a matching selector", spec: { nodeSelector: { "kubernetes.io/hostname": "a" } }, takes: true },
  { reason: "another selector", spec: { nodeSelector: { "kubernetes.io/hostname": "b" } }, takes: false },
  {
    reason: "a selector on a dropped label",
    spec: { nodeSelector: { "cpu-model.node.kubevirt.io/X": "true" } },
    takes: true,
  },
  { reason: "In", spec: expression("kubernetes.io/hostname", "In", "a", "b"), takes: true },
  { reason: "NotIn", spec: expression("kubernetes.io/hostname", "NotIn", "a"), takes: false },
  { reason: "Exists", spec: expression("missing", "Exists"), takes: false },
  { reason: "DoesNotExist", spec: expression("missing", "DoesNotExist"), takes: true },
  { reason: "Gt", node: { labels: { rack: "10" } }, spec: expression("rack", "Gt", "9"), takes: true },
  { reason: "Lt", node: { labels: { rack: "10" } }, spec: expression("rack", "Lt", "9"), takes: false },
  { reason: "an unknown operator", spec: expression("rack", "Near", "9"), takes: false },
  {
    reason: "an expression on a dropped label",
    spec: expression("cpu-vendor.node.kubevirt.io/X", "In", "true"),
    takes: true,
  },
  { reason: "no term", spec: required(), takes: false },
  { reason: "an empty term", spec: required({}), takes: false },
  {
    reason: "one of two terms",
    spec: required(
      { matchExpressions: [{ key: "missing", operator: "Exists" }] },
      { matchFields: [{ key: "metadata.name", operator: "In", values: ["a"] }] },
    ),
    takes: true,
  },
];

test.each(cases)("$reason: accepted $takes", ({ node, spec = {}, takes }) => {
  const placement = readPlacement(vmObject("vm", "b", { spec }));
  expect(qualifies(readNodeFact(nodeObject("a", node)), placement)).toBe(takes);
});

test("a selector on a dropped label is an assumption", () => {
  const asked = (spec: JsonMap) => assumesLabels(readPlacement(vmObject("vm", "b", { spec })));
  expect(asked({ nodeSelector: { "cpu-model.node.kubevirt.io/X": "true" } })).toBe(true);
  expect(asked(expression("feature.node.kubernetes.io/x", "Exists"))).toBe(true);
  expect(asked({ nodeSelector: { zone: "a" } })).toBe(false);
});
