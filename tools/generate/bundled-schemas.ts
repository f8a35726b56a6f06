// Generates the schemas for offline commands from the newest mock CRDs. Offline, these kinds count as installed.

import type { Json, JsonMap } from "@virt/api";
import { asText, entriesOf, isList, isMap, member } from "@virt/objects";
import { type Asset, neededCrds } from "@virt/platform";
import type { MockCrd } from "./mock-crds.ts";

type Version = { readonly name: string; readonly schema: { readonly openAPIV3Schema: JsonMap } };
type Crd = { readonly metadata: { readonly name: string }; readonly spec: { readonly versions: readonly Version[] } };

export function bundledSchemasModule(assets: readonly Asset[], mocks: readonly MockCrd[]): string {
  const read = new Set(assets.flatMap((asset) => [...neededCrds(asset), ...schemasRead(asset)]));
  const crds = Map.groupBy(
    mocks.map(({ crd }) => crd as unknown as Crd),
    ({ metadata }) => metadata.name,
  );
  const lines = [...crds].map(([name, files]) => {
    // If several files have the same version, the last one is the newest.
    const versions = new Map(files.flatMap(({ spec }) => spec.versions).map((version) => [version.name, version]));
    return factOf(name, [...versions.values()], { isSchemaRead: read.has(name) });
  });
  return [
    "// Generated from config/crd/mocks (make generate): names, versions and trimmed schemas of the newest, one line each.",
    "",
    "export const bundledSchemas: readonly string[] = [",
    ...lines.map((line) => `  ${quoted(line)},`),
    "];",
    "",
  ].join("\n");
}

function schemasRead({ reads }: Asset): readonly string[] {
  return Object.values(reads).flatMap((read) => (read.read === "schema" ? [read.crd] : []));
}

/** Without a schema, the versions still show which ones are served. */
function factOf(
  name: string,
  versions: readonly Version[],
  { isSchemaRead }: { readonly isSchemaRead: boolean },
): string {
  return JSON.stringify({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name },
    spec: {
      versions: versions.map((version) => ({
        name: version.name,
        ...(isSchemaRead && {
          schema: { openAPIV3Schema: trimmed(withoutStatus(version.schema.openAPIV3Schema)) },
        }),
      })),
    },
  });
}

const kept: ReadonlySet<string> = new Set([
  "type",
  "default",
  "enum",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-map-type",
  "x-kubernetes-preserve-unknown-fields",
]);

function withoutStatus(schema: JsonMap): JsonMap {
  const properties = member(schema, "properties");
  const own = isMap(properties) ? entriesOf(properties).filter(([name]) => name === "spec") : [];
  return { ...schema, properties: Object.fromEntries(own) };
}

/** Keeps only the keywords for merging, defaults, known fields and capabilities. */
function trimmed(schema: Json): Json {
  if (!isMap(schema)) return schema;
  return Object.fromEntries(
    entriesOf(schema).flatMap(([key, value]): readonly (readonly [string, Json])[] => {
      if (kept.has(key)) return [[key, value]];
      if (key === "description") return /deprecated/i.test(asText(value) ?? "") ? [[key, "Deprecated"]] : [];
      if (key === "properties" && isMap(value))
        return [[key, Object.fromEntries(entriesOf(value).map(([name, below]) => [name, trimmed(below)]))]];
      return (key === "items" || key === "additionalProperties") && !isList(value) ? [[key, trimmed(value)]] : [];
    }),
  );
}

// Matches the formatter's choice of quotes for a string that is full of double quotes.
function quoted(json: string): string {
  return `'${json.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
