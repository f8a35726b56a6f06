// Settings of live migrations outside the HyperConverged: MigrationPolicy and NetworkAttachmentDefinition.

import type { Subject } from "../subject.ts";

const quantity = { isIntOrString: true, good: ["64Mi", "0", 1024], bad: ["fast", ""] };
const labelMap = (path: string) => [{ path, isOpen: true, good: [{}] }, { path: `${path}{}` }];
const values = ["allowAutoConverge", "allowPostCopy", "bandwidthPerMigration", "completionTimeoutPerGiB"];
const selectors = ["virtualMachineInstanceSelector", "namespaceSelector"].map((name) => `spec.selectors.${name}`);

const migrationPolicy: Subject = {
  title: "a MigrationPolicy",
  mock: "migrationpolicies.yaml",
  genuine: [{ file: "kubevirt/migrationpolicies-1.9.yaml" }],
  mentioned: { "profiles.md 4.2": [...selectors, ...values.map((name) => `spec.${name}`)] },
  sample: {
    apiVersion: "migrations.kubevirt.io/v1alpha1",
    kind: "MigrationPolicy",
    metadata: { name: "virt-live-migration" },
    spec: {
      selectors: { virtualMachineInstanceSelector: { tier: "db" }, namespaceSelector: { "example.com/zone": "a" } },
      allowAutoConverge: true,
      allowPostCopy: false,
      allowWorkloadDisruption: false,
      bandwidthPerMigration: "128Mi",
      completionTimeoutPerGiB: 100,
      maxDowntimeMs: 300,
    },
    status: {},
  },
  fields: [
    { path: "spec", isRequired: true, bad: [{}] },
    { path: "spec.selectors", isRequired: true, good: [{}] },
    ...selectors.flatMap(labelMap),
    ...["allowAutoConverge", "allowPostCopy", "allowWorkloadDisruption"].map((name) => ({ path: `spec.${name}` })),
    { path: "spec.bandwidthPerMigration", ...quantity },
    { path: "spec.completionTimeoutPerGiB", good: [0] },
    { path: "spec.maxDowntimeMs", good: [1, 2_000_000], bad: [0, 2_000_001] },
    { path: "status", good: [{}] },
  ],
};

const networkAttachmentDefinition: Subject = {
  title: "a NetworkAttachmentDefinition",
  mock: "networkattachmentdefinitions.yaml",
  genuine: [{ file: "network/network-attachment-definitions.yaml" }],
  mentioned: { "profiles.md 4.2": ["spec.config"] },
  sample: {
    apiVersion: "k8s.cni.cncf.io/v1",
    kind: "NetworkAttachmentDefinition",
    metadata: { name: "migration", namespace: "probes" },
    spec: { config: '{"cniVersion":"0.3.1","type":"macvlan"}' },
  },
  fields: [
    { path: "spec", good: [{}] },
    { path: "spec.config", good: ["", "not JSON"] },
  ],
};

export const liveMigration: readonly Subject[] = [migrationPolicy, networkAttachmentDefinition];
