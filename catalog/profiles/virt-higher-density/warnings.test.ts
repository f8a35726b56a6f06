import type { PlannedItem } from "@virt/advisor";
import type { JsonMap } from "@virt/api";
import { expect, test } from "vitest";
import type { DensityFacts } from "./facts.ts";
import profile from "./profile.ts";
import { factsWith, hcoWith } from "./testing/facts.ts";

const warningsOf = (name: string, given: JsonMap | undefined, facts: DensityFacts) =>
  profile.plan(given, facts).find((item) => item.name === name)?.warnings;

const waspAgent = { apiVersion: "apps/v1", kind: "DaemonSet", metadata: { name: "wasp-agent" } };
const rule = "it must not be combined with kubelet swap";
const removal = "kubectl delete daemonset wasp-agent -n openshift-cnv";
const runs = `wasp-agent runs in namespace 'openshift-cnv'; ${rule}. Next: ${removal}`;
const autopilot = (value: string) => ({
  hco: hcoWith("v1", {}, { annotations: { "platform.kubevirt.io/autopilot": value } }),
});

type SwapCase = { reason: string; facts: Partial<DensityFacts>; given?: JsonMap; warnings: readonly string[] };

const swapCases: readonly SwapCase[] = [
  { reason: "without wasp-agent, there is no warning", facts: {}, warnings: [] },
  { reason: "warns about wasp-agent", facts: { waspAgent }, warnings: [runs] },
  {
    reason: "warns about wasp-agent at any ratio",
    facts: { waspAgent },
    given: { memoryToRequestRatio: 100 },
    warnings: [runs],
  },
  {
    reason: "never suggests to switch on virt-platform-autopilot",
    facts: { ...autopilot("descheduler"), waspAgent },
    warnings: [runs],
  },
];

test.each(swapCases)("$reason", ({ facts, given, warnings }) => {
  expect(warningsOf("enable-kubelet-swap", given, factsWith(facts))).toEqual(warnings);
});

test("without swap, wasp-agent needs no warning", () => {
  const plan = profile.plan({ enableSwap: false }, factsWith({ waspAgent }));
  expect(plan.flatMap(({ warnings }) => warnings)).toEqual([]);
});

const aimed = (zone: string) => ({ ksmConfiguration: { nodeLabelSelector: { matchLabels: { zone } } } });
const aimless = "nodeLabelSelector matches no node";

const ksmCases: readonly SwapCase[] = [
  { reason: "a selector that matches a node needs no warning", facts: {}, given: aimed("b"), warnings: [] },
  { reason: "warns about a selector that matches no node", facts: {}, given: aimed("c"), warnings: [aimless] },
  { reason: "unread nodes need no warning", facts: { nodes: undefined }, given: aimed("c"), warnings: [] },
  { reason: "no selector needs no warning", facts: { nodes: [] }, warnings: [] },
];

test.each(ksmCases)("$reason", ({ facts, given, warnings }) => {
  expect(warningsOf("configure-higher-density", given, factsWith(facts))).toEqual(warnings);
});

const ksm = { ksmConfiguration: { nodeLabelSelector: {} } };
const fieldsV1 = { "f:spec": { "f:virtualization": { "f:ksmConfiguration": { "f:nodeLabelSelector": {} } } } };
const oldFieldsV1 = { "f:spec": { "f:ksmConfiguration": { "f:nodeLabelSelector": {} } } };
const owner = (manager: string, fields: JsonMap = fieldsV1) => ({ manager, operation: "Update", fieldsV1: fields });
const ours = { manager: "virt-advisor-operator", operation: "Apply", fieldsV1 };
const hco = (values: JsonMap, ...managedFields: readonly JsonMap[]) => hcoWith("v1", values, { managedFields }).object;
const stays = (managers: string) => `KSM stays enabled: ksmConfiguration is owned by ${managers}`;

type Hco = ReturnType<typeof hco>;
type DryRunCase = { reason: string; given?: JsonMap; live: Hco; after: Hco; warnings: readonly string[] };

const dryRunCases: readonly DryRunCase[] = [
  {
    reason: "reports that KSM is disabled if the dry run removes it",
    live: hco(ksm, ours, owner("kubectl-create")),
    after: hco({}),
    warnings: ["KSM will be disabled"],
  },
  {
    reason: "names the owners if the dry run keeps KSM",
    live: hco(ksm, ours, owner("b"), owner("a")),
    after: hco(ksm, owner("b"), owner("a"), owner("b")),
    warnings: [stays("b, a")],
  },
  {
    reason: "names owners in the older version",
    live: hco(ksm),
    after: hco(ksm, owner("argocd", oldFieldsV1)),
    warnings: [stays("argocd")],
  },
  {
    reason: "does not name owners of other fields",
    live: hco(ksm),
    after: hco(ksm, owner("b", { "f:spec": { "f:virtualization": { "f:evictionStrategy": {} } } })),
    warnings: [stays("an unknown manager")],
  },
  { reason: "KSM that was off needs no warning", live: hco({}), after: hco({}), warnings: [] },
  {
    reason: "KSM that stays on needs no warning",
    given: { ksmConfiguration: {} },
    live: hco(ksm),
    after: hco(ksm, owner("b")),
    warnings: [],
  },
];

test.each(dryRunCases)("$reason", ({ given = {}, live, after: predicted, warnings }) => {
  const items = profile.plan(given, factsWith({}));
  const warn = (item: PlannedItem) => (predicted && profile.dryRunWarnings?.(item, { live, predicted })) ?? [];
  expect(items.map((item) => [item.name, ...warn(item)])).toEqual([
    ["enable-kubelet-swap"],
    ["configure-higher-density", ...warnings],
  ]);
});
