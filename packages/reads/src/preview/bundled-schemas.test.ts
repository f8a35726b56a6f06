import { globSync, readFileSync } from "node:fs";
import type { KubeObject } from "@virt/api";
import { assets } from "@virt/catalog";
import { buildClusterFacts, lookupIn, managedObjects, previewObject, readObjects } from "@virt/platform";
import { inRepository } from "@virt/testkit";
import { expect, test } from "vitest";
import { bundledSchemas } from "./bundled-schemas.ts";

const older = /kubedeschedulers-v5(?:10|14|21)|hyperconvergeds-v1beta1/;

const whole = globSync(inRepository("config", "crd", "mocks", "*.yaml"))
  .filter((file) => !older.test(file))
  .flatMap((file) => {
    const read = readObjects(readFileSync(file, "utf8"));
    return read.kind === "objects" ? read.objects : [];
  });
const bundled = bundledSchemas.map((text) => JSON.parse(text) as KubeObject);

const hco: KubeObject = {
  apiVersion: "hco.kubevirt.io/v1",
  kind: "HyperConverged",
  metadata: {
    name: "kubevirt-hyperconverged",
    namespace: "openshift-cnv",
    annotations: Object.fromEntries(
      Object.entries({
        "feature-gates": "CPUManager",
        "enable-loadaware": "true",
        "enable-aaq": "true",
        "enable-incident-detection": "true",
        "vfio-devices": '[{"selector": "10DE:1EB8", "resourceName": "a.b/c"}]',
        "usb-devices": '[{"resourceName": "a.b/d", "selectors": [{"vendor": "1", "product": "2"}]}]',
      }).map(([key, value]) => [`platform.kubevirt.io/${key}`, value]),
    ),
  },
};

const rules = { apiVersion: "monitoring.coreos.com/v1", kind: "PrometheusRule", metadata: { name: "descheduler-rules", namespace: "openshift-kube-descheduler-operator" } }; // biome-ignore format: one line
const places = ["own", "openshift-mtv", "metallb-system", "openshift-kube-descheduler-operator"];
const namespaces = places.map((name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } }));

function previewsWith(crds: readonly KubeObject[]) {
  const facts = buildClusterFacts(hco, {
    lookup: lookupIn({ objects: [rules, ...namespaces], crds }),
    assets,
    activation: "always",
    images: {},
    purposesOf: () => [],
    released: {},
    ownNamespace: "own",
    exclusions: [],
  });
  const at = { hcoNamespace: "openshift-cnv", hcoApiVersion: hco.apiVersion, ownNamespace: "own" };
  return managedObjects(assets, at).map((object) => previewObject(object, { facts, now: 0 }));
}

test("bundled schemas lead to the same preview as whole CRDs", () => {
  const [trimmed, full] = [previewsWith(bundled), previewsWith(whole)];
  expect(trimmed.map(({ evaluated, decided }) => ({ ...evaluated, decided }))).toEqual(
    full.map(({ evaluated, decided }) => ({ ...evaluated, decided })),
  );
  expect(trimmed.filter(({ decided }) => decided !== undefined).length).toBeGreaterThan(10);
});

test("every mock CRD has a bundled schema, and the HyperConverged two", () => {
  expect(new Set(bundled.map(({ metadata }) => metadata.name))).toEqual(
    new Set(whole.map(({ metadata }) => metadata.name)),
  );
  const served = lookupIn({ objects: [], crds: bundled });
  for (const version of ["v1", "v1beta1"])
    expect(served.schema("hyperconvergeds.hco.kubevirt.io", version).value).toHaveProperty("properties.spec");
});
