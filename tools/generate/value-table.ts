// Generates the values that each asset writes, for docs/assets.md. Uses facts with which an asset writes as many fields
// as possible.

import { globSync, readFileSync } from "node:fs";
import type { Json, JsonMap, KubeObject } from "@virt/api";
import { asList, asText, at, decodeUtf8, member, readDataUrl } from "@virt/objects";
import type { Asset, ValueReason } from "@virt/platform";
import { load } from "js-yaml";
import {
  alphaKubeVirt,
  assetFacts,
  type ChangedFacts,
  type HcoVersion,
  hcoWith,
  plainHardware,
} from "../../catalog/testing/asset-facts.ts";
import { code, line } from "./markdown.ts";

type WrittenField = { readonly path: string; readonly value: Json };

const mostSections = 3;

/** More than three assets of one kind and one feature share a section, which shows the one with the most values. */
export function valueTables(assets: readonly Asset[]): readonly string[] {
  const alike = Map.groupBy(assets, ({ feature, target }) => `${feature.name} ${target.kind}`);
  return [...alike.values()].flatMap((group) =>
    group.length > mostSections ? sharedTable(group) : group.flatMap((asset) => valueTable(asset)),
  );
}

function sharedTable(group: readonly Asset[]): readonly string[] {
  const count = ({ values = {} }: Asset) => Object.keys(values).length;
  const [richest] = group.toSorted((left, right) => count(right) - count(left));
  if (richest === undefined) return [];
  const note = `The ${group.length} assets of this group are similar. The table shows the values of ${code(richest.name)}.`;
  return valueTable(richest, { title: richest.group ?? richest.name, note });
}

type Heading = { readonly title: string; readonly note?: string };

/** Throws if the asset does not declare why it writes a field. */
export function valueTable(asset: Asset, { title, note }: Heading = { title: asset.name }): readonly string[] {
  const values = writtenValues(asset);
  return [
    `### ${title}`,
    "",
    ...(note === undefined ? [] : [note, ""]),
    "| field | value | reason | source |",
    "|---|---|---|---|",
    ...values.map(({ path, value, why: { reason, source, shown } }) =>
      line(code(path), shown ?? (isLong(value) ? "the text below" : code(textOf(value))), reason, source),
    ),
    ...values.flatMap(({ path, value, why }) =>
      why.shown === undefined && isLong(value) ? textBlock(path, value) : [],
    ),
    "",
  ];
}

/** Marks values that apply only to earlier releases of the object's operator. */
function writtenValues(asset: Asset): readonly (WrittenField & { readonly why: ValueReason })[] {
  const versions: readonly HcoVersion[] = asset.target.kind === "HyperConverged" ? ["v1", "v1beta1"] : ["v1"];
  const all = versions.flatMap((version) => {
    const mark = versions.length === 1 ? "" : ` (${version})`;
    return generationsOf(asset).flatMap((generation, at) =>
      renderedFields(asset, richFacts(asset, version, generation)).map(({ path, value }) => ({
        path: `${path}${mark}`,
        shown: `${path}${mark}${at === 0 ? "" : " (earlier releases)"}`,
        value,
        why: reasonFor(asset, path),
      })),
    );
  });
  const keyOf = ({ path, value }: WrittenField) => `${path} ${textOf(value)}`;
  const distinct = new Map(all.toReversed().map((one) => [keyOf(one), one]));
  return all
    .filter((one) => distinct.get(keyOf(one)) === one)
    .map(({ shown, value, why }) => ({ path: shown, value, why }));
}

function renderedFields(asset: Asset, facts: ChangedFacts): readonly WrittenField[] {
  const rendered = asset.render(assetFacts(asset, facts));
  if (!("kind" in rendered)) return [];
  const { labels = {}, annotations = {} } = rendered.metadata;
  const isWhole = (path: string) => asset.values?.[path]?.shown !== undefined;
  return [
    ...fieldsOf({ labels, annotations }, { path: "metadata", isWhole }),
    ...fieldsOf(rendered["spec"] ?? {}, { path: "spec", isWhole }),
  ];
}

/** Uses the longest declared key that is part of the path. Throws if there is none. */
function reasonFor({ name, values = {} }: Asset, path: string): ValueReason {
  const place = `.${path.replaceAll(/\[[^\]]*\]/g, "")}.`;
  const [key] = Object.keys(values)
    .filter((one) => place.includes(`.${one}.`))
    .toSorted((one, other) => other.length - one.length);
  const why = key === undefined ? undefined : values[key];
  if (why === undefined) throw new Error(`asset ${name} writes ${path} and does not declare why: add it to its values`);
  return why;
}

type FieldPlace = { readonly path: string; readonly isWhole: (path: string) => boolean };

/** Lists the fields of a value. The path identifies a list element by its key. */
function fieldsOf(value: Json, { path, isWhole }: FieldPlace): readonly WrittenField[] {
  if (isWhole(path)) return [{ path, value }];
  if (Array.isArray(value) && value.every((one) => elementName(one) !== undefined))
    return value.flatMap((one) => fieldsOf(one, { path: `${path}[${elementName(one)}]`, isWhole }));
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [{ path, value }];
  const members = Object.entries(value as Readonly<Record<string, Json>>);
  if (members.length === 0) return path.startsWith("metadata") ? [] : [{ path, value }];
  return members.flatMap(([name, inner]) =>
    fieldsOf(inner, { path: name.includes(".") ? `${path}["${name}"]` : `${path}.${name}`, isWhole }),
  );
}

function elementName(element: Json): string | undefined {
  return asText(member(element, "path")) ?? asText(member(element, "name"));
}

/** Decodes data URLs, because nodes get the decoded files. */
function textOf(value: Json): string {
  if (typeof value !== "string" || value === "") return JSON.stringify(value);
  const data = readDataUrl(value);
  return (data === undefined ? value : (decodeUtf8(data) ?? value)).trimEnd();
}

function isLong(value: Json): boolean {
  return textOf(value).includes("\n");
}

function textBlock(path: string, value: Json): readonly string[] {
  return ["", `${code(path)}:`, "", "```ini", textOf(value), "```"];
}

const annotations = {
  "usb-devices": '[{"resourceName": "kubevirt.io/storage", "selectors": [{"vendor": "46f4", "product": "0001"}]}]',
  "vfio-devices": '[{"selector": "10de:1eb8", "resourceName": "nvidia.com/TU104GL_Tesla_T4"}]',
  "enable-incident-detection": "true",
};

const optionalFact = (name: string, fact: JsonMap | undefined) => (fact === undefined ? [] : [[name, fact] as const]);

const richObjects: Readonly<Record<string, KubeObject>> = {
  KubeVirt: alphaKubeVirt,
  PrometheusRule: {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "PrometheusRule",
    metadata: { name: "descheduler-rules" },
  },
};

type Generation = { readonly schema: JsonMap | undefined };

/** Includes example devices, a network with room for many pods, and the given generation of the CRD. */
function richFacts({ reads }: Asset, version: HcoVersion, { schema }: Generation): ChangedFacts {
  const facts = Object.entries(reads).flatMap(([name, read]) => {
    switch (read.read) {
      case "hco":
        return [[name, hcoWith(version, annotations)] as const];
      case "hardware":
        return [[name, { ...plainHardware, podSubnetPrefix: 23 }] as const];
      case "schema":
        return optionalFact(name, schema);
      case "object":
        return optionalFact(name, richObjects[read.ref.kind]);
      case "images":
      case "objects":
      case "pool":
      case "served":
      case "topology":
        return [];
    }
  });
  return Object.fromEntries(facts);
}

/**
 * Returns the newest generation first. The last one has no schema. An asset that reads no schema has one generation.
 */
function generationsOf({ reads }: Asset): readonly Generation[] {
  const [read] = Object.values(reads).filter((one) => one.read === "schema");
  if (read === undefined) return [{ schema: undefined }];
  const mocks = globSync("config/crd/mocks/*.yaml")
    .toSorted()
    .toReversed()
    .map((file) => load(readFileSync(file, "utf8")) as JsonMap)
    .filter((mock) => at(mock, "metadata", "name") === read.crd);
  const schemas = mocks.map((mock) => {
    const served = asList(at(mock, "spec", "versions")).find((one) => member(one, "name") === read.version);
    return { schema: at(served, "schema", "openAPIV3Schema") as JsonMap | undefined };
  });
  return [...schemas, { schema: undefined }];
}
