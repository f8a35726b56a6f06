// A cluster of plain objects, for tests of previews.

import type { Json, JsonMap, KubeObject } from "@virt/api";
import { object } from "@virt/cluster";
import { type Asset, defineAsset, detected, hardware, topology, topologyIs } from "../asset.ts";
import { readExclusions } from "../disabled-resources.ts";
import { buildClusterFacts, type ClusterFacts } from "../evaluate/cluster-facts.ts";
import { lookupIn, type PlainFacts } from "../evaluate/lookup.ts";
import { managedObjects } from "../evaluate/managed-objects.ts";
import { annotationOf } from "../hco-annotations.ts";
import { type Preview, previewObject } from "../preview/preview.ts";

export const prefix = "platform.kubevirt.io/";
const target = { apiVersion: "a.io/v1", kind: "Thing", name: "ours", crd: "things.a.io" } as const;
const rules = { apiVersion: "a.io/v1", kind: "Rule", name: "rules", namespace: "there" } as const;

const common = {
  feature: { name: "things", description: "", maturity: "GA" },
  phase: 1,
  needs: [],
  dependency: "optional",
  adoption: "whole",
  impact: "reboot",
} as const;

/** Two assets that share an object, and one with its own object. */
export const exampleAssets: readonly Asset[] = [
  defineAsset({
    ...common,
    name: "first",
    tier: "always-on",
    order: 1,
    target,
    switch: { annotation: "enable-first", default: "on" },
    reads: {},
    render: () => exampleThing({ size: 1, unheard: true }),
  }),
  defineAsset({
    ...common,
    name: "second",
    tier: "advanced",
    order: 1,
    target,
    switch: { annotation: "enable-second", default: "off" },
    reads: { rules: object(rules) },
    render: (facts) => exampleThing({ colour: facts.rules === undefined ? "red" : "green" }),
  }),
  defineAsset({
    ...common,
    name: "third",
    tier: "always-on",
    order: 2,
    target: { ...target, name: "other" },
    needs: [{ apiVersion: "a.io/v1", kind: "Rule", crd: "rules.a.io" }],
    conditions: [topologyIs("isOpenShift", "false"), detected("gpuPresent")],
    reads: { topology: topology(), hardware: hardware() },
    singleton: true,
    impact: "pods",
    render: () => ({ apiVersion: "a.io/v1", kind: "Thing", metadata: { name: "other" }, spec: { size: 2 } }),
  }),
];

export function exampleThing(spec: JsonMap, annotations: Readonly<Record<string, string>> = {}): KubeObject {
  const own = Object.fromEntries(Object.entries(annotations).map(([key, value]) => [`${prefix}${key}`, value]));
  const metadata = { name: "ours", ...(Object.keys(own).length > 0 && { annotations: own }) };
  return { apiVersion: "a.io/v1", kind: "Thing", metadata, spec };
}

export function hcoAnnotated(said: Readonly<Record<string, string>> = {}): KubeObject {
  const annotations = Object.fromEntries(Object.entries(said).map(([key, value]) => [`${prefix}${key}`, value]));
  const metadata = { name: "kubevirt-hyperconverged", namespace: "cnv", annotations };
  return { apiVersion: "hco.kubevirt.io/v1", kind: "HyperConverged", metadata };
}

const spec = (properties: Json) => ({ type: "object", properties: { spec: { type: "object", properties } } });
const crdOf = (name: string, properties: Json): KubeObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name },
  spec: { versions: [{ name: "v1", served: true, schema: { openAPIV3Schema: spec(properties) } }] },
});

const crds: readonly KubeObject[] = [
  crdOf("things.a.io", { size: { type: "integer" }, colour: { type: "string" } }),
  crdOf("rules.a.io", {}),
];

export const gpuNode: KubeObject = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "a" },
  status: { capacity: { "nvidia.com/gpu": "1" } },
};

export function factsWith(hco: KubeObject | undefined, facts: Partial<PlainFacts> = {}): ClusterFacts {
  const text = annotationOf(hco?.metadata.annotations ?? {}, "disabled-resources");
  const exclusions = readExclusions(text);
  return buildClusterFacts(hco, {
    lookup: lookupIn({ objects: [], crds, ...facts }),
    assets: exampleAssets,
    activation: "always",
    images: {},
    purposesOf: () => [],
    released: {},
    ownNamespace: "own",
    exclusions: exclusions.kind === "rules" ? exclusions.rules : undefined,
  });
}

export function previewsIn(facts: ClusterFacts, unreadReason?: PlainFacts["unreadReason"]): readonly Preview[] {
  const places = { hcoNamespace: "cnv", hcoApiVersion: "hco.kubevirt.io/v1", ownNamespace: "own" };
  return managedObjects(exampleAssets, places).map((one) => previewObject(one, { facts, now: 0, unreadReason }));
}
