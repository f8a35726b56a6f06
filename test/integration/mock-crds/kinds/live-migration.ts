// The network of live migrations.

import type { Subject } from "../subject.ts";

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

export const liveMigration: readonly Subject[] = [networkAttachmentDefinition];
