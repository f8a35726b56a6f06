// What the OLM bundle says of itself is complete, and true.

import { existsSync, readFileSync } from "node:fs";
import { asList, asText, at, type KubeObject } from "@virt/engine";
import { inRepository } from "@virt/testkit";
import { load } from "js-yaml";
import { beforeAll, expect, test } from "vitest";
import { bundleFiles } from "../../../../tools/package/bundle/bundle.ts";
import { anyImage, type Manifests, readManifests } from "../../../../tools/package/manifests.ts";
import { annotations, csv, install, read } from "./read-bundle.ts";

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
  "alm-examples",
  "capabilities",
  "categories",
  "containerImage",
  "createdAt",
  "description",
  "repository",
  "support",
  ...["suggested-namespace", "initialization-resource"].map((name) => `operatorframework.io/${name}`),
  ...features.map((name) => `features.operators.openshift.io/${name}`),
  "console.openshift.io/plugins",
  "operators.openshift.io/valid-subscription",
];
test.each(asked)("annotation %s is there", (name) => {
  expect(annotations[name]).toMatch(/./);
});

test.each([
  "displayName",
  "description",
  "icon",
  "keywords",
  "links",
  "maintainers",
  "maturity",
  "provider",
  "version",
  "minKubeVersion",
  "installModes",
  "relatedImages",
])("field %s is there", (name) => {
  expect(JSON.stringify(at(csv, "spec", name))?.length).toBeGreaterThan(2);
});

/** Each with the test that shows it. */
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

test("every image that runs is a related image", () => {
  const related = asList(at(csv, "spec", "relatedImages")).map((one) => at(one, "image"));
  const running = [...JSON.stringify(at(install, "deployments")).matchAll(/"image":"([^"]*)"/g)].map(
    ([, image]) => image,
  );
  expect(running.length).toBeGreaterThan(1);
  expect(running.filter((image) => !related.includes(image ?? ""))).toEqual([]);
});

test("it watches all namespaces, and in no other mode", () => {
  const supported = asList(at(csv, "spec", "installModes")).filter((mode) => at(mode, "supported") === true);
  expect(supported.map((mode) => at(mode, "type"))).toEqual(["AllNamespaces"]);
});

test("examples are the samples, and the first thing that the console offers is a preview", () => {
  expect(JSON.parse(annotations["alm-examples"] ?? "")).toEqual(manifests.samples);
  const first = JSON.parse(annotations["operatorframework.io/initialization-resource"] ?? "") as KubeObject;
  expect(at(first, "spec")).toEqual({ profile: "load-aware-rebalancing", action: "DryRun" });
});

test("the suggested namespace is as guarded as our own", () => {
  const suggested = JSON.parse(annotations["operatorframework.io/suggested-namespace-template"] ?? "") as KubeObject;
  expect(suggested.metadata.name).toBe(annotations["operatorframework.io/suggested-namespace"]);
  expect(suggested.metadata.labels).toMatchObject({ "pod-security.kubernetes.io/enforce": "restricted" });
});

test("the image of the bundle carries its annotations as labels", () => {
  const { annotations: said } = load(read("metadata/annotations.yaml")) as { annotations: Record<string, string> };
  const labels = readFileSync(inRepository("bundle.Dockerfile"), "utf8").matchAll(/^LABEL ([^=]+)=(.*)$/gm);
  expect(Object.fromEntries([...labels].map(([, key, value]) => [key, value]))).toEqual(said);
});

test("the icon is a drawing", () => {
  const [icon] = asList(at(csv, "spec", "icon"));
  expect(at(icon, "mediatype")).toBe("image/svg+xml");
  expect(Buffer.from(asText(at(icon, "base64data")) ?? "", "base64").toString()).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
});
