import type { KubeObject, NotAssessedReason } from "@virt/api";
import {
  budgetInformer,
  configInformer,
  kubeVirtInformer,
  migrationInformer,
  readBudgetFact,
  readVmFact,
  vmInformer,
} from "@virt/cluster";
import { assessed, notAssessed, settingsInForce } from "@virt/impact";
import { projectObject } from "@virt/kube";
import { expect, test } from "vitest";
import { collectImpactFacts, findDiagnosisGaps, type ListFacts } from "./impact-facts.ts";
import { ImpactReads } from "./impact-reads.ts";

const hco: KubeObject = {
  apiVersion: "hco.kubevirt.io/v1beta1",
  kind: "HyperConverged",
  metadata: { name: "kubevirt-hyperconverged" },
  spec: { evictionStrategy: "LiveMigrate", liveMigrationConfig: { parallelMigrationsPerCluster: 9 } },
};
const factsOf = (list: ListFacts) =>
  collectImpactFacts({
    assessedAt: "",
    disruption: [],
    renderedOf: () => undefined,
    list,
    hco,
    reads: new ImpactReads(),
  });
const factsBy = (kubeVirts: ReturnType<ListFacts>) =>
  factsOf((spec) => (spec === kubeVirtInformer ? kubeVirts : assessed([])));

test.each(["Forbidden", "Unavailable", "Listing"] as const)(
  "a KubeVirt that is %s is a gap, and the HyperConverged is used",
  (reason) => {
    const facts = factsBy(notAssessed(reason));
    expect(facts.settings).toMatchObject({ isAssessed: false, reason });
    expect(settingsInForce(facts)).toMatchObject({ evictionStrategy: "LiveMigrate", migrationsPerCluster: 9 });
  },
);

test("without KubeVirt, uses the HyperConverged", () => {
  expect(factsBy(notAssessed("NotServed")).settings).toMatchObject({ value: { migrationsPerCluster: 9 } });
});

const long = "x".repeat(1_000_000);
const ownedBy = (kind: string) => [{ apiVersion: "kubevirt.io/v1", kind, name: long, uid: long, controller: true }];
const anyContent = Object.fromEntries(
  ["evictionStrategy", "phase", "nodeName", "evacuationNodeName", "vmiName", "failureReason"].map((key) => [key, long]),
);
const hostile = {
  metadata: { name: "a", namespace: "hostile", ownerReferences: ownedBy("VirtualMachineInstance") },
  spec: { ...anyContent, selector: { matchLabels: { [long]: "" } } },
  status: {
    ...anyContent,
    migrationState: { ...anyContent, mode: long },
    phaseTransitionTimestamps: [{ phase: long }],
  },
};

test.each([vmInformer, budgetInformer, migrationInformer])("keeps no huge text of a $kind", (informer) => {
  const ownerReferences = [...ownedBy("VirtualMachine"), ...ownedBy("VirtualMachineInstance")];
  const object = { ...informer, ...hostile, metadata: { ...hostile.metadata, ownerReferences } };
  const kept = projectObject(object, informer.projection);
  expect(JSON.stringify(kept).length).toBeLessThan(3_000);
});

test("ignores an owner whose name is too long", () => {
  const vm = { ...vmInformer, ...hostile, metadata: { name: "a", ownerReferences: ownedBy("VirtualMachine") } };
  expect(readVmFact(vm as KubeObject).controller).toBeUndefined();
  expect(readVmFact(projectObject(vm as KubeObject, vmInformer.projection)).controller).toBeUndefined();
});

test("marks a budget with a huge selector as too large", () => {
  const kept = projectObject({ ...budgetInformer, ...hostile }, budgetInformer.projection);
  expect(readBudgetFact(kept)).toMatchObject({ name: "a", isTooLarge: true });
});

test("predictions use the restart times of all configs", () => {
  const observing = (...restartSeconds: readonly number[]) =>
    ({ status: { rollout: { pools: [{ name: "worker", observed: { restartSeconds } }] } } }) as unknown as KubeObject;
  const samplesBy = (configs: ReturnType<ListFacts>) =>
    factsOf((spec) => (spec === configInformer ? configs : assessed([]))).restartSamples.get("worker");
  expect(samplesBy(assessed([observing(100), observing(100, 110)]))).toEqual([100, 110]);
  expect(samplesBy(notAssessed("Forbidden"))).toBeUndefined();
});

const kind = "VirtualMachineInstance";
const reasons = ["Forbidden", "TooMany", "Unavailable", "Listing"] as const;

test.each(reasons)("a kind that is %s is a gap with its reason and message", (reason) => {
  expect(findDiagnosisGaps([[kind, notAssessed(reason, "answer")]])).toEqual([
    { what: kind, reason, message: "answer" },
  ]);
});

test("a kind that was read or is not served is not a gap", () => {
  expect(
    findDiagnosisGaps([
      [kind, assessed([])],
      ["KubeVirt", notAssessed("NotServed")],
    ]),
  ).toEqual([]);
});

test("pools that are not served are a gap", () => {
  expect(findDiagnosisGaps([["MachineConfigPool", notAssessed("NotServed")]])).toMatchObject([{ reason: "NotServed" }]);
});

const versions: readonly (readonly [NotAssessedReason | "read", NotAssessedReason | "read", string | undefined])[] = [
  ["read", "Listing", undefined],
  ["NotServed", "read", undefined],
  ["NotServed", "NotServed", undefined],
  ["Forbidden", "Listing", "Forbidden"],
  ["Listing", "Forbidden", "Forbidden"],
  ["NotServed", "Listing", "Listing"],
];

test.each(versions)("a kind whose versions are %s and %s has one gap or none: %s", (newer, older, gap) => {
  const inputOf = (reason: NotAssessedReason | "read") => (reason === "read" ? assessed([]) : notAssessed(reason));
  const gaps = findDiagnosisGaps([newer, older].map((reason) => ["HyperConverged", inputOf(reason)] as const));
  expect(gaps.map(({ reason }) => reason)).toEqual(gap === undefined ? [] : [gap]);
});
