// The Helm chart renders the kustomize objects, and each value has its documented effect.
// @module-tag thorough

import { asList, at, type Json, type KubeObject } from "@virt/objects";
import { beforeAll, describe, expect, test } from "vitest";
import { anyImage, identity, type Manifests, readManifests } from "../../../../tools/package/manifests.ts";
import { chart, helm, rendered, setting } from "./run-helm.ts";

let manifests: Manifests;
let usual: readonly KubeObject[];

beforeAll(async () => {
  manifests = await readManifests(anyImage);
  usual = rendered();
});

function plain(objects: readonly KubeObject[]): Readonly<Record<string, Json>> {
  const ours = ["app.kubernetes.io/managed-by", "helm.sh/resource-policy"];
  const without = (key: string, value: Json) =>
    ours.includes(key) ? undefined : isEmpty(key, value) ? undefined : value;
  return Object.fromEntries(
    objects.map((object) => [identity(object), JSON.parse(JSON.stringify(object, without)) as Json]),
  );
}

// Annotations that are empty without Helm's policy.
const isEmpty = (key: string, value: Json) =>
  key === "annotations" && Object.keys(value as object).every((name) => name === "helm.sh/resource-policy");

const overlays = [
  { overlay: "config/default", values: [], made: () => manifests.both },
  { overlay: "config/advisor", values: ["platform.enabled=false"], made: () => manifests.advisor },
  {
    overlay: "config/platform",
    values: ["advisor.enabled=false", 'platform.activation="always"'],
    made: () => manifests.platform,
  },
  {
    overlay: "config/example-profile",
    values: ["advisor.exampleProfile=true"],
    made: () => manifests.exampleProfile,
  },
  {
    overlay: "config/default with config/prometheus",
    values: ["serviceMonitor.enabled=true"],
    made: () => [...manifests.both, ...manifests.monitoring],
  },
  {
    overlay: "config/default with config/console",
    values: ["console.enabled=true"],
    made: () => [...manifests.both, ...manifests.console],
  },
];

test.each(overlays)("$values renders the objects of $overlay", ({ values, made }) => {
  expect(plain(rendered(...values))).toEqual(plain(made()));
});

test("renders the console plugin only with the advisor and served ConsolePlugins", () => {
  const openshift = ["--api-versions", "console.openshift.io/v1/ConsolePlugin"];
  const plugins = (...args: readonly string[]) => {
    const { stdout } = helm(["template", "any", chart, ...setting([]), ...args]);
    return [...stdout.matchAll(/^kind: ConsolePlugin$/gm)].length;
  };
  expect(plugins()).toBe(0);
  expect(plugins(...openshift)).toBe(1);
  expect(plugins(...openshift, ...setting(["console.enabled=false"]))).toBe(0);
  expect(plugins(...openshift, ...setting(["advisor.enabled=false"]))).toBe(0);
});

const switches = [
  { value: "networkPolicy.enabled=false", kinds: ["NetworkPolicy"] },
  { value: "admission.enabled=false", kinds: ["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"] },
  { value: "metrics.enabled=false", kinds: ["Service"] },
  { value: "crds.install=false", kinds: ["CustomResourceDefinition"] },
  { value: "namespaces.create=false", kinds: ["Namespace"] },
];

test.each(switches)("$value omits only $kinds", ({ value, kinds }) => {
  const left = rendered(value).map(identity);
  expect(left).toEqual(usual.filter(({ kind }) => !kinds.includes(kind)).map(identity));
  expect(left.length).toBeLessThan(usual.length);
});

test("without the advisor, advisor.exampleProfile=true grants nothing", () => {
  expect(rendered("advisor.exampleProfile=true", "advisor.enabled=false").map(identity)).toEqual(
    rendered("advisor.enabled=false").map(identity),
  );
});

describe("the pods", () => {
  const podOf = (object: KubeObject) => at(object, "spec", "template", "spec");
  const managerOf = (object: KubeObject) => asList(at(podOf(object), "containers"))[0];
  const deployments = (...values: readonly string[]) => rendered(...values).filter(({ kind }) => kind === "Deployment");

  const image = `registry.example/virt@sha256:${"0".repeat(64)}`;
  const effects = [
    { value: `image="${image}"`, of: managerOf, has: { image } },
    { value: 'pullPolicy="Always"', of: managerOf, has: { imagePullPolicy: "Always" } },
    { value: "replicas=1", of: (object: KubeObject) => at(object, "spec"), has: { replicas: 1 } },
    {
      value: 'resources={"limits":{"memory":"1Gi"}}',
      of: managerOf,
      has: { resources: { limits: { memory: "1Gi" } } },
    },
    { value: 'nodeSelector={"a/b":"c"}', of: podOf, has: { nodeSelector: { "a/b": "c" } } },
    { value: 'tolerations=[{"operator":"Exists"}]', of: podOf, has: { tolerations: [{ operator: "Exists" }] } },
    { value: 'imagePullSecrets=[{"name":"mine"}]', of: podOf, has: { imagePullSecrets: [{ name: "mine" }] } },
    { value: 'affinity={"podAffinity":{}}', of: podOf, has: { affinity: { podAffinity: {} } } },
    {
      value: 'topologySpreadConstraints=[{"topologyKey":"zone","maxSkew":2,"whenUnsatisfiable":"DoNotSchedule"}]',
      of: podOf,
      has: { topologySpreadConstraints: [{ topologyKey: "zone", maxSkew: 2, whenUnsatisfiable: "DoNotSchedule" }] },
    },
    { value: 'priorityClassName="mine"', of: podOf, has: { priorityClassName: "mine" } },
  ];
  test.each(effects)("$value reaches both Deployments", ({ value, of, has }) => {
    const seen = deployments(value).map(of);
    expect(seen).toMatchObject([has, has]);
  });

  const counts = [
    { reason: "two each without a cluster", values: [], replicas: [2, 2] },
    { reason: "the common value", values: ["replicas=3"], replicas: [3, 3] },
    { reason: "a controller's own value, if set", values: ["replicas=3", "platform.replicas=1"], replicas: [3, 1] },
  ];
  test.each(counts)("the number of replicas is $reason", ({ values, replicas }) => {
    expect(deployments(...values).map((object) => at(object, "spec", "replicas"))).toEqual(replicas);
  });

  const variables = [
    { value: "advisor.requireApprovedPlan=true", has: { REQUIRE_APPROVED_PLAN: "true" } },
    { value: "advisor.advertiseProfiles=false", has: { ADVERTISE_PROFILES: "false" } },
    { value: "advisor.exampleProfile=false", has: { EXAMPLE_PROFILE: "false" } },
    { value: "advisor.exampleProfile=true", has: { EXAMPLE_PROFILE: "true" } },
    { value: 'platform.activation="always"', has: { ACTIVATION: "always" } },
    { value: 'hcoNamespace="kubevirt-hyperconverged"', has: { HCO_NAMESPACE: "kubevirt-hyperconverged" } },
    { value: 'hcoNamespace=""', has: { HCO_NAMESPACE: "" } },
    { value: 'logLevel="debug"', has: { LOG_LEVEL: "debug" } },
    {
      value: 'extraEnv=[{"name":"VIRT_OPERATOR_LOG_FORMAT","value":"pretty"}]',
      has: { LOG_FORMAT: "pretty", LOG_LEVEL: "info" },
    },
  ];
  test.each(variables)("$value sets the variables", ({ value, has }) => {
    const set = deployments(value).flatMap((object) => asList(at(managerOf(object), "env")));
    for (const [name, wanted] of Object.entries(has)) {
      const found = set.filter((one) => at(one, "name") === `VIRT_OPERATOR_${name}`).map((one) => at(one, "value"));
      expect([name, new Set(found)]).toEqual([name, new Set([wanted])]);
    }
  });

  const flags = [
    { value: "metrics.enabled=false", has: [], lacks: ["--metrics-bind-address=:8443"] },
    { value: 'extraArgs=["--log-format=json"]', has: ["--log-format=json", "--leader-elect"], lacks: [] },
  ];
  test.each(flags)("$value changes the flags", ({ value, has, lacks }) => {
    const args = deployments(value).flatMap((object) => asList(at(managerOf(object), "args")));
    expect(args).toEqual(expect.arrayContaining(has));
    expect(args.filter((flag) => (lacks as readonly Json[]).includes(flag))).toEqual([]);
  });
});
