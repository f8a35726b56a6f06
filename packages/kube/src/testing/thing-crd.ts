// A cluster-scoped kind for tests on a real API server.

import type { KubeObject } from "@virt/objects";

export const thingsPath = "/apis/example.org/v1/things";

export const thingCrd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.example.org" },
  spec: {
    group: "example.org",
    names: { kind: "Thing", plural: "things" },
    scope: "Cluster",
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
} satisfies KubeObject;

export const thing = { apiVersion: "example.org/v1", kind: "Thing", metadata: { name: "one" } } satisfies KubeObject;
