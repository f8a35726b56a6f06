import { projectObject } from "@virt/kube";
import { expect, test } from "vitest";
import { allKinds, simulatorInformers } from "./cluster-state.ts";

const managedFields = [{ manager: "kubectl", fieldsV1: { "f:spec": { "f:domain": {} } } }];
const object = {
  apiVersion: "v1",
  kind: "Any",
  metadata: { name: "a", labels: { a: "b" }, annotations: { c: "d" }, managedFields },
  spec: { a: [1] },
  status: { phase: "Running" },
};

test.each(allKinds)("the informer of %s drops managedFields", (kind) => {
  const { managedFields: _owners, ...metadata } = object.metadata;
  for (const { projection } of simulatorInformers(kind))
    expect(projectObject(object, projection)).toEqual({ ...object, metadata });
});
