// The OLM bundle's claims about itself are true. test/install/olm-rules.test.ts covers the rules that matter for an installation.

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
test.each(asked)("the CSV has annotation %s", (name) => {
  expect(annotations[name]).toMatch(/./);
});

/** Claimed features, each with its test. */
const shown = { "proxy-aware": "../proxy.test.ts" };

test("claims only tested features, and disconnected only with a pinned image", () => {
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

test("examples are the samples of the profiles that OLM installs", () => {
  expect(JSON.parse(annotations["alm-examples"] ?? "")).toEqual(
    manifests.samples.filter(({ metadata }) => metadata.name !== "example-profile"),
  );
  expect(annotations).not.toHaveProperty(["operatorframework.io/initialization-resource"]);
});

test("no Deployment flag overrides a Subscription's settings", () => {
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

test("the suggested namespace enforces restricted pod security", () => {
  const suggested = JSON.parse(annotations["operatorframework.io/suggested-namespace-template"] ?? "") as KubeObject;
  expect(suggested.metadata.name).toBe(annotations["operatorframework.io/suggested-namespace"]);
  expect(suggested.metadata.labels).toMatchObject({ "pod-security.kubernetes.io/enforce": "restricted" });
});
