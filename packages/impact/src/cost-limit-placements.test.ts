import type { JsonMap } from "@virt/api";
import { readNodeFact, readVmFact } from "@virt/cluster";
import { expect, test } from "vitest";
import { boundPlacements } from "./cost-limit.ts";
import { nodeObject, vmObject } from "./testing/cluster-builder.ts";

const nodesOf = (count: number, taints: readonly JsonMap[] = []) =>
  Array.from({ length: count }, (_, at) => readNodeFact(nodeObject(`worker-${at}`, { taints })));
const vmWith = (name: string, spec: JsonMap) => readVmFact(vmObject(name, "worker-0", { spec }));
const affinity = (...nodeSelectorTerms: readonly JsonMap[]) => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
});
const list = <T>(length: number, make: (at: number) => T) => Array.from({ length }, (_, at) => make(at));

/** A VM with a unique affinity. */
const vmWithTerms = (name: string, terms: number) =>
  vmWith(
    name,
    affinity(...list(terms, (at) => ({ matchExpressions: [{ key: `${name}-${at}`, operator: "In", values: ["v"] }] }))),
  );

const vms = [vmWithTerms("cheap", 1), ...Array.from({ length: 100 }, (_, at) => vmWithTerms(`vm-${at}`, 50))];
const tooLarge = (all: ReturnType<typeof boundPlacements>) =>
  all.filter(({ placement }) => placement.isTooLarge).map(({ name }) => name);

test("only the costliest VMs are unknown", () => {
  expect(boundPlacements(vms, nodesOf(3))).toBe(vms);
  const beyond = tooLarge(boundPlacements(vms, nodesOf(500)));
  expect(beyond).toHaveLength(89);
  expect(beyond).not.toContain("cheap");
});

test("the order of VMs does not matter", () => {
  expect(tooLarge(boundPlacements(vms.toReversed(), nodesOf(500))).toSorted()).toEqual(
    tooLarge(boundPlacements(vms, nodesOf(500))).toSorted(),
  );
});

test("cheap VMs of one namespace do not displace those of another", () => {
  const inHostile = (name: string) =>
    readVmFact(
      vmObject(name, "worker-0", { spec: { nodeSelector: { [name]: "v" } }, metadata: { namespace: "hostile" } }),
    );
  const hostile = list(2000, (at) => inHostile(`cheap-${at}`));
  const beyond = tooLarge(boundPlacements([...hostile, vmWithTerms("ours", 50)], nodesOf(500)));
  expect(beyond.length).toBeGreaterThan(1000);
  expect(beyond).not.toContain("ours");
});

test("VMs with equal requirements count once", () => {
  const same = Array.from({ length: 1000 }, () => vmWithTerms("same", 50));
  expect(boundPlacements(same, nodesOf(500))).toBe(same);
});

const costly: Readonly<Record<string, (name: string) => JsonMap>> = {
  "expressions of one term": (name) =>
    affinity({ matchExpressions: list(180, (at) => ({ key: at === 0 ? name : "x", operator: "Exists" })) }),
  "values of one expression": (name) =>
    affinity({ matchExpressions: [{ key: "x", operator: "NotIn", values: [name, ...list(1000, (at) => `${at}`)] }] }),
  "fields of one term": (name) =>
    affinity({ matchFields: list(100, () => ({ key: "metadata.name", operator: "NotIn", values: [name] })) }),
  "labels of a node selector": (name) => ({
    nodeSelector: Object.fromEntries(list(200, (at) => [`${name}-${at}`, "v"])),
  }),
  tolerations: (name) => ({ tolerations: list(100, (at) => ({ key: `${name}-${at}`, operator: "Exists" })) }),
};

test.each(Object.keys(costly))("%s count towards the limit of an assessment", (name) => {
  const all = list(50, (at) => vmWith(`vm-${at}`, costly[name]?.(`vm-${at}`) ?? {}));
  const taints = [{ key: "a", effect: "NoSchedule" }];
  expect(boundPlacements(all, nodesOf(3, taints))).toBe(all);
  expect(tooLarge(boundPlacements(all, nodesOf(500, taints))).length).toBeGreaterThan(25);
});

test("evaluates VMs that are pinned to one of 500 nodes", () => {
  const pinned = list(4000, (at) =>
    vmWith(`vm-${at}`, { nodeSelector: { "kubernetes.io/hostname": `worker-${at % 500}` } }),
  );
  expect(boundPlacements(pinned, nodesOf(500))).toBe(pinned);
});
