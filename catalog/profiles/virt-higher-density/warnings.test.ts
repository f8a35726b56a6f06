// What the plan warns of: another way to swap, KSM that reaches no node, KSM that does not go.

import type { JsonMap } from "@virt/api";
import { expect, test } from "vitest";
import type { DensityFacts } from "./facts.ts";
import profile from "./profile.ts";
import { factsWith, hcoWith, noHco } from "./world.ts";

const warningsOf = (name: string, given: JsonMap | undefined, facts: DensityFacts) =>
  profile.plan(given, facts).find((item) => item.name === name)?.warnings;

const waspAgent = { apiVersion: "apps/v1", kind: "DaemonSet", metadata: { name: "wasp-agent" } };
const rule = "it must not be combined with kubelet swap";
const runs = `wasp-agent runs in namespace 'openshift-cnv'; ${rule}`;
const mayStart = `HyperConverged may start wasp-agent when memoryOvercommitPercentage is above 100; ${rule}`;
const autopilot = (value: string) => ({
  hco: hcoWith("v1", {}, { annotations: { "platform.kubevirt.io/autopilot": value } }),
});

type SwapCase = { reason: string; facts: Partial<DensityFacts>; given?: JsonMap; warnings: readonly string[] };

const swapCases: readonly SwapCase[] = [
  { reason: "wasp-agent may be started by the ratio", facts: {}, warnings: [mayStart] },
  { reason: "a HyperConverged to be made may start it too", facts: { hco: noHco("v1") }, warnings: [mayStart] },
  { reason: "one that runs is named instead", facts: { waspAgent }, warnings: [runs] },
  {
    reason: "one that runs is named whatever the ratio",
    facts: { waspAgent },
    given: { memoryToRequestRatio: 100 },
    warnings: [runs],
  },
  { reason: "a ratio of 100 starts none", facts: {}, given: { memoryToRequestRatio: 100 }, warnings: [] },
  { reason: "a ratio of 101 may", facts: {}, given: { memoryToRequestRatio: 101 }, warnings: [mayStart] },
  { reason: "none is started where the platform sees to everything", facts: autopilot("true"), warnings: [] },
  { reason: "or to swap", facts: autopilot("descheduler, swap-enable"), warnings: [] },
  {
    reason: "but it is where the platform sees to other things",
    facts: autopilot("descheduler"),
    warnings: [mayStart],
  },
  { reason: "or to nothing", facts: autopilot("false"), warnings: [mayStart] },
  { reason: "true in a list is no asset", facts: autopilot("true,descheduler"), warnings: [mayStart] },
];

test.each(swapCases)("$reason", ({ facts, given, warnings }) => {
  expect(warningsOf("enable-kubelet-swap", given, factsWith(facts))).toEqual(warnings);
});

test("without swap wasp-agent is in nobody's way", () => {
  const plan = profile.plan({ enableSwap: false }, factsWith({ waspAgent }));
  expect(plan.flatMap(({ warnings }) => warnings)).toEqual([]);
});

const ksm = { ksmConfiguration: { nodeLabelSelector: {} } };
const fieldsV1 = { "f:spec": { "f:virtualization": { "f:ksmConfiguration": { "f:nodeLabelSelector": {} } } } };
const oldFieldsV1 = { "f:spec": { "f:ksmConfiguration": { "f:nodeLabelSelector": {} } } };
const owner = (manager: string, operation = "Update", fields: JsonMap = fieldsV1) => ({
  manager,
  operation,
  fieldsV1: fields,
});
const owned = (...managedFields: readonly JsonMap[]) => ({ hco: hcoWith("v1", ksm, { managedFields }) });
const us = owner("virt-advisor-operator", "Apply");
const stays = (managers: string) => `KSM stays enabled: ksmConfiguration is owned by ${managers}`;
const nodeLabelSelector = { matchLabels: { zone: "c" } };
const aimed = (zone: string) => ({ ksmConfiguration: { nodeLabelSelector: { matchLabels: { zone } } } });
const created = "HyperConverged 'kubevirt-hyperconverged' does not exist and will be created";

const ksmCases: readonly SwapCase[] = [
  { reason: "KSM of ours is switched off", facts: owned(us), given: {}, warnings: ["KSM will be switched off"] },
  {
    reason: "also if we wrote it in the older version",
    facts: owned(owner("virt-advisor-operator", "Apply", oldFieldsV1)),
    given: {},
    warnings: ["KSM will be switched off"],
  },
  { reason: "KSM of others stays", facts: owned(owner("kubectl-edit")), given: {}, warnings: [stays("kubectl-edit")] },
  {
    reason: "what others own beside us stays",
    facts: owned(us, owner("argocd", "Apply")),
    given: {},
    warnings: [stays("argocd")],
  },
  {
    reason: "what we did not apply is not ours",
    facts: owned(owner("virt-advisor-operator")),
    given: {},
    warnings: [stays("virt-advisor-operator")],
  },
  {
    reason: "several owners are each named once",
    facts: owned(owner("a"), owner("b"), owner("a", "Apply")),
    given: {},
    warnings: [stays("a, b")],
  },
  { reason: "fields that nobody owns stay", facts: owned(), given: {}, warnings: [stays("an unknown manager")] },
  {
    reason: "owners of other fields have no say",
    facts: owned(us, owner("b", "Apply", { "f:spec": { "f:virtualization": { "f:evictionStrategy": {} } } })),
    given: {},
    warnings: ["KSM will be switched off"],
  },
  { reason: "KSM that is off needs no word", facts: {}, given: {}, warnings: [] },
  {
    reason: "KSM that stays wanted needs none either",
    facts: owned(owner("b")),
    given: { ksmConfiguration: {} },
    warnings: [],
  },
  { reason: "a selector that selects a node is fine", facts: {}, given: aimed("b"), warnings: [] },
  {
    reason: "one that selects none is not",
    facts: {},
    given: { ksmConfiguration: { nodeLabelSelector } },
    warnings: ["nodeLabelSelector matches no node"],
  },
  { reason: "unread nodes are not called unselected", facts: { nodes: undefined }, given: aimed("c"), warnings: [] },
  { reason: "nobody gave a selector", facts: { nodes: [] }, warnings: [] },
  {
    reason: "a HyperConverged that is missing will be made",
    facts: { hco: noHco("v1") },
    given: {},
    warnings: [created],
  },
];

test.each(ksmCases)("$reason", ({ facts, given, warnings }) => {
  expect(warningsOf("configure-higher-density", given, factsWith(facts))).toEqual(warnings);
});
