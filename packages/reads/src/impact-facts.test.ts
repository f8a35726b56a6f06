import type { KubeObject } from "@virt/api";
import { configInformer } from "@virt/facts";
import { assessed, kubeVirtInformer, notAssessed, settingsInForce } from "@virt/impact";
import { expect, test } from "vitest";
import { collectImpactFacts, type ListFacts } from "./impact-facts.ts";
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
  "a KubeVirt that is %s leaves a gap, and the fields of the HyperConverged count",
  (reason) => {
    const facts = factsBy(notAssessed(reason));
    expect(facts.settings).toMatchObject({ isAssessed: false, reason });
    expect(settingsInForce(facts)).toMatchObject({ evictionStrategy: "LiveMigrate", migrationsPerCluster: 9 });
  },
);

test("without KubeVirt the fields of the HyperConverged are all there is", () => {
  expect(factsBy(notAssessed("NotServed")).settings).toMatchObject({ value: { migrationsPerCluster: 9 } });
});

test("restart times that any config observed count for every prediction", () => {
  const observing = (...restartSeconds: readonly number[]) =>
    ({ status: { rollout: { pools: [{ name: "worker", observed: { restartSeconds } }] } } }) as unknown as KubeObject;
  const samplesBy = (configs: ReturnType<ListFacts>) =>
    factsOf((spec) => (spec === configInformer ? configs : assessed([]))).restartSamples.get("worker");
  expect(samplesBy(assessed([observing(100), observing(100, 110)]))).toEqual([100, 110]);
  expect(samplesBy(notAssessed("Forbidden"))).toBeUndefined();
});
