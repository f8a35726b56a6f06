// Reads the committed OLM bundle and breaks copies of it.

import { globSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { asList, asText, at, type Json, type KubeObject } from "@virt/objects";
import { inRepository } from "@virt/testkit";
import { load, loadAll } from "js-yaml";

export type Bundle = {
  readonly csv: KubeObject;
  /** The manifests other than the CSV. */
  readonly objects: readonly KubeObject[];
  readonly annotations: Readonly<Record<string, string>>;
  readonly dockerfile: string;
  readonly compressedBytes: number;
};

export type Rule = {
  readonly rule: string;
  readonly findFaults: (bundle: Bundle) => readonly string[];
  readonly breakRule: (bundle: Bundle) => Bundle;
};

export function readBundle(): Bundle {
  const read = (file: string) => readFileSync(inRepository(file), "utf8");
  const files = globSync("*.yaml", { cwd: inRepository("bundle", "manifests") }).toSorted();
  const texts = files.map((file) => read(`bundle/manifests/${file}`));
  const manifests = texts.flatMap((text) => loadAll(text) as unknown as readonly KubeObject[]);
  const [csv, ...more] = manifests.filter(({ kind }) => kind === "ClusterServiceVersion");
  if (csv === undefined || more.length > 0) throw new Error("the bundle does not have exactly one CSV");
  const metadata = load(read("bundle/metadata/annotations.yaml")) as Pick<Bundle, "annotations">;
  return {
    csv,
    objects: manifests.filter((object) => object !== csv),
    annotations: metadata.annotations,
    dockerfile: read("bundle.Dockerfile"),
    compressedBytes: gzipSync(texts.join("---\n")).length,
  };
}

type Path = readonly (string | number)[];

export const withCsvField =
  (path: Path, value: Json) =>
  (bundle: Bundle): Bundle => ({ ...bundle, csv: withField(bundle.csv, path, value) as never });

export const withObject =
  (object: KubeObject) =>
  (bundle: Bundle): Bundle => ({ ...bundle, objects: [...bundle.objects, object] });

export const withAnnotation =
  (name: string, value: string) =>
  (bundle: Bundle): Bundle => ({ ...bundle, annotations: { ...bundle.annotations, [name]: value } });

export const withFieldOf =
  (kind: string, path: Path, value: Json) =>
  (bundle: Bundle): Bundle => ({
    ...bundle,
    objects: bundle.objects.map((object) =>
      object.kind === kind ? (withField(object, path, value) as never) : object,
    ),
  });

function withField(root: Json, [key, ...rest]: Path, value: Json): Json {
  if (key === undefined) return value;
  const copy = structuredClone(root ?? (typeof key === "number" ? [] : {})) as Record<string | number, Json>;
  copy[key] = withField(copy[key] ?? null, rest, value);
  return copy;
}

export const csvAnnotations = ({ csv }: Bundle): Readonly<Record<string, string>> => csv.metadata.annotations ?? {};
export const csvList = ({ csv }: Bundle, ...path: readonly string[]): readonly Json[] => asList(at(csv, ...path));
export const csvText = ({ csv }: Bundle, ...path: readonly string[]): string => asText(at(csv, ...path)) ?? "";
export const textOf = (value: Json | undefined, field: string): string => asText(at(value, field)) ?? "";

export function deploymentsIn(bundle: Bundle): readonly Json[] {
  return csvList(bundle, "spec", "install", "spec", "deployments");
}

export function faultsOf<Element>(
  elements: readonly Element[],
  isGood: (element: Element) => boolean,
): readonly string[] {
  return elements.filter((element) => !isGood(element)).map((element) => JSON.stringify(element));
}

export const isSubdomain = (text: string): boolean =>
  text.length <= 253 && /^[a-z\d]([-a-z\d]*[a-z\d])?(\.[a-z\d]([-a-z\d]*[a-z\d])?)*$/.test(text);
