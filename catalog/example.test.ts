// Read this first. Shows how an asset renders an object and how a profile plans items, from facts alone.

import { assets, profiles } from "@virt/catalog";
import { expect, test } from "vitest";

test("an asset renders only the fields that it manages", () => {
  const metallb = assets.find(({ name }) => name === "metallb-operator");
  expect(metallb?.render({ ownNamespace: "virt-platform-operator-system" })).toEqual({
    apiVersion: "metallb.io/v1beta1",
    kind: "MetalLB",
    metadata: { name: "metallb", namespace: "metallb-system" },
    spec: {},
  });
});

test("a profile plans items in the order of application", () => {
  const example = profiles.find(({ name }) => name === "example-profile");
  const facts = { ownNamespace: "virt-advisor-operator-system", cnv: true };
  expect(example?.plan(undefined, facts)).toMatchObject([
    {
      name: "configure-example-component",
      operation: "Apply",
      target: { kind: "ConfigMap", name: "example-config", namespace: "openshift-cnv" },
      managedFields: ["data"],
    },
  ]);
});
