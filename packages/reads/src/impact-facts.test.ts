import type { KubeObject } from "@virt/api";
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
const factsBy = (kubeVirts: ReturnType<ListFacts>) =>
  collectImpactFacts({
    assessedAt: "",
    disruption: [],
    renderedOf: () => undefined,
    list: (spec) => (spec === kubeVirtInformer ? kubeVirts : assessed([])),
    hco,
    reads: new ImpactReads(),
  });

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
