// The OLM bundle's claims about itself are true. test/install/olm-rules.test.ts covers the validators' rules.

import { existsSync } from "node:fs";
import { at, type KubeObject } from "@virt/objects";
import { load } from "js-yaml";
import { beforeAll, expect, test } from "vitest";
import { bundleFiles } from "../../../../tools/package/bundle/bundle.ts";
import { anyImage, type Manifests, readManifests } from "../../../../tools/package/manifests.ts";
import { annotations, install } from "./read-bundle.ts";

let manifests: Manifests;

beforeAll(async () => {
  manifests = await readManifests(anyImage);
});

const features = [
  "disconnected",
  "fips-compliant",
  "proxy-aware",
  "tls-profiles",
  "token-auth-aws",
  "token-auth-azure",
  "token-auth-gcp",
  "cnf",
  "cni",
  "csi",
];
const asked = [
  "operatorframework.io/suggested-namespace",
  ...features.map((name) => `features.operators.openshift.io/${name}`),
  "console.openshift.io/plugins",
  "operators.openshift.io/valid-subscription",
];
test.each(asked)("annotation %s is there", (name) => {
  expect(annotations[name]).toMatch(/./);
});

/** Claimed features, each with its test. */
const shown = { "proxy-aware": "../proxy.test.ts" };

test("no feature is claimed that no test shows, and disconnected only with an image by digest", () => {
  const claimed = features.filter((name) => annotations[`features.operators.openshift.io/${name}`] !== "false");
  expect(claimed).toEqual(Object.keys(shown));
  expect(Object.values(shown).filter((file) => !existsSync(new URL(file, import.meta.url)))).toEqual([]);
  const image = `registry.example/virt@sha256:${"0".repeat(64)}`;
  const text =
    bundleFiles({ manifests, version: "1.2.3", image }).texts[
      "bundle/manifests/virt-operators.clusterserviceversion.yaml"
    ] ?? "";
  const pinned = load(text) as KubeObject;
  expect(pinned.metadata.annotations).toMatchObject({
    "features.operators.openshift.io/disconnected": "true",
    containerImage: image,
  });
  expect(at(pinned, "spec", "relatedImages")).toEqual([{ name: "virt-operators", image }]);
});

test("examples are the samples of the profiles that OLM installs, and the console offers to create nothing that the advisor creates itself", () => {
  expect(JSON.parse(annotations["alm-examples"] ?? "")).toEqual(
    manifests.samples.filter(({ metadata }) => metadata.name !== "example-profile"),
  );
  expect(annotations).not.toHaveProperty(["operatorframework.io/initialization-resource"]);
});

test("a Subscription can set what a site may want to change: no flag of a Deployment stands in its way", () => {
  const changeable = [
    "activation",
    "hco-namespace",
    "log-level",
    "advertise-profiles",
    "require-approved-plan",
    "example-profile",
  ];
  const containers = JSON.stringify(at(install, "deployments"));
  for (const name of changeable) {
    expect(containers).not.toContain(`--${name}`);
    expect(containers).toContain(`VIRT_OPERATOR_${name.toUpperCase().replaceAll("-", "_")}`);
  }
});

test("the suggested namespace is as guarded as our own", () => {
  const suggested = JSON.parse(annotations["operatorframework.io/suggested-namespace-template"] ?? "") as KubeObject;
  expect(suggested.metadata.name).toBe(annotations["operatorframework.io/suggested-namespace"]);
  expect(suggested.metadata.labels).toMatchObject({ "pod-security.kubernetes.io/enforce": "restricted" });
});
