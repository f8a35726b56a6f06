// Renders the whole catalog for a generation of CRDs.

import { type JsonMap, type KubeObject, managedByLabel } from "@virt/api";
import { assets } from "@virt/catalog";
import { readHardware, readTopology } from "@virt/cluster";
import {
  type AnyAssetFacts,
  type Asset,
  builtInShape,
  keepKnown,
  mergeParts,
  type Nothing,
  readHco,
  shapeFrom,
} from "@virt/platform";
import { alphaKubeVirt, assetFacts } from "../../../catalog/testing/asset-facts.ts";
import type { Definition } from "../mock-crds/definitions.ts";

export type Setting = { readonly said: Readonly<Record<string, string>>; readonly podCIDR: string };

export type Desired = { readonly plural: string; readonly object: KubeObject };

export const hcoNamespace = "openshift-cnv";

export function desiredWith(definitions: readonly Definition[], setting: Setting): readonly Desired[] {
  const byObject = Map.groupBy(assets, ({ target }) => `${target.kind}/${target.name}`);
  return [...byObject.values()].map((parts) => merge(parts, definitions, setting));
}

function merge(parts: readonly Asset[], definitions: readonly Definition[], setting: Setting): Desired {
  const [{ target }] = parts as readonly [Asset];
  const definition = definitions.find(({ crd }) => crd.metadata.name === target.crd);
  const schema = definition?.schema as JsonMap | undefined;
  const renders = parts.flatMap((asset) => {
    const object = rendered(asset, factsOf(asset, definitions, setting));
    return { asset: asset.name, object: schema === undefined ? object : keepKnown(object, schema).object };
  });
  const { object, conflicts } = mergeParts(
    renders,
    schema === undefined ? builtInShape(target.kind) : shapeFrom(schema),
  );
  if (object === undefined || conflicts.length > 0) throw new Error(`no object: ${JSON.stringify(conflicts)}`);
  const labels = { ...object.metadata.labels, [managedByLabel.key]: managedByLabel.value };
  const labelled = { ...object, metadata: { ...object.metadata, labels } };
  return { plural: definition?.plural ?? `${target.kind.toLowerCase()}s`, object: labelled };
}

function rendered(asset: Asset, facts: AnyAssetFacts): KubeObject {
  const object: KubeObject | Nothing = asset.render(facts);
  if (!("kind" in object)) throw new Error(`${asset.name} renders nothing: ${JSON.stringify(object)}`);
  return object;
}

function factsOf(asset: Asset, definitions: readonly Definition[], { said, podCIDR }: Setting): AnyAssetFacts {
  const schemaOf = (crd: string) =>
    definitions.find(({ crd: { metadata } }) => metadata.name === crd)?.schema as JsonMap | undefined;
  const nodes = [{ apiVersion: "v1", kind: "Node", metadata: { name: "a" }, spec: { podCIDR } }];
  const crds = new Set(definitions.map(({ crd }) => crd.metadata.name));
  const schemas = Object.entries(asset.reads).flatMap(([name, read]) =>
    read.read === "schema" ? [[name, schemaOf(read.crd)] as const] : [],
  );
  return assetFacts(asset, {
    ...Object.fromEntries(schemas),
    hco: readHco(hcoWith(definitions, said), schemaOf("hyperconvergeds.hco.kubevirt.io")),
    hardware: readHardware(nodes),
    topology: readTopology({ infrastructure: undefined, scheduler: undefined, nodes, crds }),
    kubeVirt: alphaKubeVirt,
    rules: { apiVersion: "monitoring.coreos.com/v1", kind: "PrometheusRule", metadata: { name: "descheduler-rules" } },
  });
}

/** Returns the HyperConverged, which the operator never creates. */
export function hcoWith(definitions: readonly Definition[], said: Setting["said"] = {}): KubeObject {
  const version = definitions.find(({ group }) => group === "hco.kubevirt.io")?.version ?? "v1";
  const annotations = Object.fromEntries(
    Object.entries(said).map(([key, value]) => [`platform.kubevirt.io/${key}`, value]),
  );
  const metadata = { name: "kubevirt-hyperconverged", namespace: hcoNamespace, annotations };
  return { apiVersion: `hco.kubevirt.io/${version}`, kind: "HyperConverged", metadata, spec: {} };
}
