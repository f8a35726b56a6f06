import type { JsonMap } from "@virt/api";
import { readBudgetFact, readPodFact } from "@virt/cluster";
import { expect, test } from "vitest";
import { boundBudgets } from "./cost-limit.ts";

const list = <T>(length: number, make: (at: number) => T) => Array.from({ length }, (_, at) => make(at));
const object = (kind: string, namespace: string, name: string, more: JsonMap = {}, spec: JsonMap = {}) => ({
  apiVersion: "v1",
  kind,
  metadata: { namespace, name, ...more },
  spec,
});
const podsIn = (namespace: string, count: number, more: JsonMap = {}) =>
  list(count, (at) => readPodFact(object("Pod", namespace, `pod-${at}`, more)));
const budget = (namespace: string, name: string, selector: JsonMap, more: JsonMap = {}) =>
  readBudgetFact(object("PodDisruptionBudget", namespace, name, more, { selector }));
const expressions = (count: number) => ({
  matchExpressions: list(count, (at) => ({ key: `k${at}`, operator: "DoesNotExist" })),
});
const tooLarge = (all: ReturnType<typeof boundBudgets>) =>
  all.flatMap(({ namespace, name, isTooLarge }) => (isTooLarge ? [`${namespace}/${name}`] : []));

const cheap = budget("shop", "cheap", { matchLabels: { app: "db" } });
const costly = list(20, (at) => budget("hostile", `costly-${at}`, expressions(150)));
const all = [...costly, cheap];

test("does not evaluate a selector of more than 8 kB", () => {
  expect(budget("shop", "a", expressions(150))).not.toHaveProperty("isTooLarge");
  expect(budget("shop", "a", expressions(300))).toMatchObject({ isTooLarge: true, selector: undefined });
  expect(readBudgetFact(object("PodDisruptionBudget", "shop", "a"))).not.toHaveProperty("isTooLarge");
});

test("only the costliest selectors are unknown", () => {
  expect(boundBudgets(all, podsIn("hostile", 100))).toBe(all);
  const beyond = tooLarge(boundBudgets(all, [...podsIn("hostile", 1000), ...podsIn("shop", 1000)]));
  expect(beyond).toHaveLength(14);
  expect(beyond).not.toContain("shop/cheap");
});

test("the order of budgets does not matter", () => {
  const pods = podsIn("hostile", 1000);
  expect(tooLarge(boundBudgets(all.toReversed(), pods)).toSorted()).toEqual(
    tooLarge(boundBudgets(all, pods)).toSorted(),
  );
});

test("small budgets of one namespace do not displace those of another", () => {
  const small = list(2000, (at) => budget("hostile", `small-${at}`, {}));
  const wide = budget("shop", "wide", expressions(150));
  const beyond = tooLarge(boundBudgets([...small, wide], [...podsIn("hostile", 1000), ...podsIn("shop", 1000)]));
  expect(beyond.length).toBeGreaterThan(1000);
  expect(beyond).not.toContain("shop/wide");
});

const selectors: Readonly<Record<string, JsonMap>> = {
  labels: { matchLabels: Object.fromEntries(list(200, (at) => [`k${at}`, "v"])) },
  expressions: expressions(150),
  "values of one expression": {
    matchExpressions: [{ key: "x", operator: "NotIn", values: list(1200, (at) => `${at}`) }],
  },
};

test.each(Object.keys(selectors))("%s count towards the limit of an assessment", (name) => {
  const budgets = list(20, (at) => budget("hostile", `b-${at}`, selectors[name] ?? {}));
  expect(boundBudgets(budgets, podsIn("hostile", 100))).toBe(budgets);
  expect(tooLarge(boundBudgets(budgets, podsIn("hostile", 1000)))).not.toEqual([]);
});

test("ignores pods that are not evicted and budgets of VMs", () => {
  const controlled = (kind: string) => ({ ownerReferences: [{ kind, name: "a", controller: true }] });
  const daemons = podsIn("hostile", 1000, controlled("DaemonSet"));
  const launchers = podsIn("hostile", 1000, { labels: { "kubevirt.io": "virt-launcher" } });
  expect(boundBudgets(all, [...daemons, ...launchers])).toBe(all);
  const ofVms = list(20, (at) => budget("hostile", `vm-${at}`, expressions(150), controlled("VirtualMachineInstance")));
  expect(boundBudgets(ofVms, podsIn("hostile", 1000))).toBe(ofVms);
});
