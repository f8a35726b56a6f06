// An example of the platform core: from an asset and cluster facts to a write, and back to idle.

import type { KubeObject } from "@virt/api";
import { fullBucket } from "@virt/objects";
import { expect, test } from "vitest";
import {
  buildClusterFacts,
  decideObject,
  defineAsset,
  evaluateObject,
  lookupIn,
  managedObjects,
  type ObjectMemory,
  observeObject,
  shapeOfObject,
} from "./index.ts";

const asset = defineAsset({
  name: "greeting",
  feature: { name: "greeting", description: "Greets every node.", maturity: "GA" },
  tier: "always-on",
  phase: 1,
  order: 1,
  target: { apiVersion: "v1", kind: "ConfigMap", name: "greeting", namespace: "$hco" },
  needs: [],
  dependency: "optional",
  adoption: "whole",
  impact: "none",
  reads: {},
  render: () => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "greeting", namespace: "openshift-cnv" },
    data: { text: "hello" },
  }),
});
const hco: KubeObject = {
  apiVersion: "hco.kubevirt.io/v1",
  kind: "HyperConverged",
  metadata: { name: "kubevirt-hyperconverged", namespace: "openshift-cnv" },
  spec: {},
};
const places = { hcoNamespace: "openshift-cnv", hcoApiVersion: hco.apiVersion, ownNamespace: "virt" };

function decide(objects: readonly KubeObject[], memory: ObjectMemory) {
  const facts = buildClusterFacts(hco, {
    lookup: lookupIn({ objects, crds: [] }),
    assets: [asset],
    activation: "always",
    images: {},
    purposesOf: () => [],
    ownNamespace: places.ownNamespace,
    exclusions: [],
    released: {},
  });
  const [object] = managedObjects([asset], places);
  if (object === undefined) throw new Error("the catalog makes up one object");
  const { wanted } = evaluateObject(object, { facts, shapeOf: shapeOfObject(object, facts), lastKnown: new Map() });
  if (wanted.kind !== "object") throw new Error(`nothing is wanted: ${wanted.kind}`);
  return decideObject(observeObject(object, wanted, { facts, now: 0, monotonicMs: 0, memory }));
}

test("creates an object, keeps it in sync, and corrects drift", () => {
  const nothing: ObjectMemory = { bucket: fullBucket, wasThere: false };
  const created = decide([], nothing);
  if (created.kind !== "apply") throw new Error(`it is not applied: ${created.kind}`);
  expect(created.apply.cause).toBe("create");
  const { object, intent } = created.apply;
  const stored = (resourceVersion: string, manager: string, text: string): KubeObject => ({
    ...object,
    metadata: { ...object.metadata, uid: "1", resourceVersion, managedFields: [ownedBy(manager)] },
    data: { text },
  });
  const live = stored("1", "virt-platform-operator", "hello");
  const memory: ObjectMemory = { bucket: created.bucket, wasThere: true, answer: live, sent: intent };
  expect(decide([live], memory).kind).toBe("in-sync");
  expect(decide([stored("2", "kubectl-edit", "bye")], memory)).toMatchObject({
    kind: "apply",
    apply: { cause: "drift", object: { data: { text: "hello" } } },
  });
});

function ownedBy(manager: string) {
  const operation = manager === "kubectl-edit" ? "Update" : "Apply";
  return { manager, operation, apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: { "f:data": { "f:text": {} } } };
}
