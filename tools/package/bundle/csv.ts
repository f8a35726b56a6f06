// Generates the ClusterServiceVersion from the texts in config/manifests and the product's objects.

import { readFileSync } from "node:fs";
import { configKind, repositoryUrl } from "@virt/api";
import { profiles } from "@virt/catalog";
import { asText, at, type Json, type JsonMap, type KubeObject } from "@virt/objects";
import { inRepository } from "@virt/testkit";
import { load } from "js-yaml";
import { architectures, operatingSystem } from "../../platforms.ts";
import type { Product } from "../manifests.ts";
import { descriptorsOf, schemaOf } from "./descriptors.ts";
import type { Rights } from "./rights.ts";

export const packageName = "virt-operators";

export type Contents = Pick<Product, "version" | "image"> & {
  readonly objects: readonly KubeObject[];
  readonly samples: readonly KubeObject[];
  readonly rights: Rights;
};

const folder = inRepository("config", "manifests");
const texts = load(readFileSync(`${folder}/clusterserviceversion.yaml`, "utf8")) as KubeObject;
const icon = readFileSync(`${folder}/icon.svg`).toString("base64");

/** The namespace that the OpenShift console suggests for the operator. */
export const namespace = texts.metadata.annotations?.["operatorframework.io/suggested-namespace"] ?? "";

export function clusterServiceVersion({ rights, ...product }: Contents): KubeObject {
  const { version, image, objects } = product;
  return {
    ...texts,
    metadata: {
      ...texts.metadata,
      name: `${packageName}.v${version}`,
      labels: {
        ...texts.metadata.labels,
        ...Object.fromEntries(architectures.map((name) => [`operatorframework.io/arch.${name}`, "supported"])),
        [`operatorframework.io/os.${operatingSystem}`]: "supported",
      },
      annotations: { ...texts.metadata.annotations, ...annotations(product) },
    },
    spec: {
      ...(at(texts, "spec") as JsonMap),
      version,
      icon: [{ base64data: icon, mediatype: "image/svg+xml" }],
      links: [
        { name: "Sources", url: repositoryUrl },
        { name: "Documentation", url: `${repositoryUrl}/tree/main/docs` },
      ],
      customresourcedefinitions: { owned: ofKind("CustomResourceDefinition", objects).map(owned) },
      install: { strategy: "deployment", spec: installation(objects, rights) },
      relatedImages: [{ name: packageName, image }],
    },
  };
}

const ofKind = (wanted: string, objects: readonly KubeObject[]) => objects.filter(({ kind }) => kind === wanted);

function installation(objects: readonly KubeObject[], { clusterPermissions, permissions }: Rights): Json {
  const deployments = ofKind("Deployment", objects).map((object) => ({
    name: object.metadata.name,
    label: object.metadata.labels ?? {},
    spec: at(object, "spec") ?? {},
  }));
  return { clusterPermissions, permissions, deployments };
}

function annotations({ version, image, objects, samples }: Omit<Contents, "rights">): Readonly<Record<string, string>> {
  return {
    "alm-examples": json(samples.filter(isServed)),
    containerImage: image,
    "features.operators.openshift.io/disconnected": String(image.includes("@sha256:")),
    "olm.skipRange": `<${version}`,
    "operatorframework.io/suggested-namespace-template": json(suggestedNamespace(objects)),
    repository: repositoryUrl,
  };
}

/** Excludes the example profile, which OLM does not install. */
function isServed(sample: KubeObject): boolean {
  return !profiles.some(({ name, isExample = false }) => isExample && name === sample.metadata.name);
}

const json = (value: Json | readonly KubeObject[]): string => JSON.stringify(value, undefined, 2);

function suggestedNamespace(objects: readonly KubeObject[]): Json {
  const { labels = {}, annotations: notes = {} } = ofKind("Namespace", objects)[0]?.metadata ?? {};
  const wanted = Object.entries(labels).filter(([key]) => !/^(app\.)?kubernetes\.io\//.test(key));
  return {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: namespace, labels: Object.fromEntries(wanted), annotations: notes },
  };
}

function neededKinds(): readonly { readonly kind: string; readonly version: string }[] {
  const needs = profiles.filter(({ isAdvertised }) => isAdvertised).flatMap((profile) => profile.needs(undefined));
  const versions = new Map(needs.map(({ kind, versions: [version = ""] }) => [kind, version]));
  return [...versions].map(([kind, version]) => ({ kind, version }));
}

function owned(definition: KubeObject): Json {
  return {
    name: definition.metadata.name,
    version: configKind.version,
    kind: configKind.kind,
    displayName: "Virtualization Platform Config",
    description: asText(at(schemaOf(definition), "description")) ?? "",
    resources: neededKinds().map(({ kind, version }) => ({ kind, name: "", version })),
    specDescriptors: descriptorsOf(definition, "spec"),
    statusDescriptors: descriptorsOf(definition, "status"),
  };
}
