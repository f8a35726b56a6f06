// Reads the committed OLM bundle and breaks copies of it.

import { globSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { asList, asText, at, type Json, type JsonMap, type KubeObject } from "@virt/objects";
import { inRepository } from "@virt/testkit";
import { load, loadAll } from "js-yaml";

export type Bundle = {
  readonly csv: KubeObject;
  /** The manifests other than the CSV. */
  readonly objects: readonly KubeObject[];
  readonly annotations: Readonly<Record<string, string>>;
  readonly dockerfile: string;
  /** The scorecard tests of operator-sdk that must pass. */
  readonly scorecard: Json;
  readonly files: readonly string[];
  readonly compressedBytes: number;
};

export type Rule = {
  readonly rule: string;
  readonly findFaults: (bundle: Bundle) => readonly string[];
  readonly breakRule: (bundle: Bundle) => Bundle;
};

export function readBundle(): Bundle {
  const root = inRepository("bundle");
  const files = globSync("**/*.yaml", { cwd: root }).toSorted();
  const texts = new Map(files.map((file) => [file, readFileSync(`${root}/${file}`, "utf8")]));
  const manifests = files.filter((file) => file.startsWith("manifests/"));
  const objects = manifests.flatMap((file) => loadAll(texts.get(file) ?? "") as unknown as readonly KubeObject[]);
  const csvs = objects.filter(({ kind }) => kind === "ClusterServiceVersion");
  if (csvs.length !== 1 || csvs[0] === undefined) throw new Error(`the bundle has ${csvs.length} CSVs, not one`);
  const metadata = load(texts.get("metadata/annotations.yaml") ?? "") as { annotations: Record<string, string> };
  return {
    csv: csvs[0],
    objects: objects.filter((object) => object !== csvs[0]),
    annotations: metadata.annotations,
    dockerfile: readFileSync(inRepository("bundle.Dockerfile"), "utf8"),
    scorecard: load(texts.get("tests/scorecard/config.yaml") ?? "") as Json,
    files,
    compressedBytes: gzipSync(manifests.map((file) => texts.get(file)).join("---\n")).length,
  };
}

type Path = readonly (string | number)[];

export const withCsvField =
  (path: Path, value: Json | undefined) =>
  (bundle: Bundle): Bundle => ({ ...bundle, csv: withField(bundle.csv, path, value) as never });

export const withObject =
  (object: KubeObject) =>
  (bundle: Bundle): Bundle => ({ ...bundle, objects: [...bundle.objects, object] });

export const withAnnotation =
  (name: string, value: string | undefined) =>
  (bundle: Bundle): Bundle => {
    const { [name]: _replaced, ...rest } = bundle.annotations;
    return { ...bundle, annotations: value === undefined ? rest : { ...rest, [name]: value } };
  };

export const withFieldOf =
  (kind: string, path: Path, value: Json) =>
  (bundle: Bundle): Bundle => ({
    ...bundle,
    objects: bundle.objects.map((object) =>
      object.kind === kind ? (withField(object, path, value) as never) : object,
    ),
  });

function withField(root: Json, [key, ...rest]: Path, value: Json | undefined): Json {
  if (key === undefined) return value ?? null;
  const copy = structuredClone(root ?? (typeof key === "number" ? [] : {})) as Record<string | number, Json>;
  if (rest.length === 0 && value === undefined) delete copy[key];
  else copy[key] = withField(copy[key] ?? null, rest, value);
  return copy;
}

export const csvAnnotations = ({ csv }: Bundle): Readonly<Record<string, string>> => csv.metadata.annotations ?? {};
export const csvList = ({ csv }: Bundle, ...path: readonly string[]): readonly Json[] => asList(at(csv, ...path));
export const csvText = ({ csv }: Bundle, ...path: readonly string[]): string => asText(at(csv, ...path)) ?? "";
export const textOf = (value: Json | undefined, field: string): string => asText(at(value, field)) ?? "";

export function definitionsIn({ objects }: Bundle): readonly JsonMap[] {
  return objects.filter(({ kind }) => kind === "CustomResourceDefinition");
}

export function deploymentsIn(bundle: Bundle): readonly Json[] {
  return csvList(bundle, "spec", "install", "spec", "deployments");
}

export function podsIn(bundle: Bundle): readonly Json[] {
  return deploymentsIn(bundle).map((one) => at(one, "spec", "template", "spec") ?? null);
}

export function containersIn(bundle: Bundle): readonly Json[] {
  return podsIn(bundle).flatMap((pod) => asList(at(pod, "containers")));
}

/** Returns the rules of the CSV's accounts and of the separate roles. */
export function rulesIn(bundle: Bundle): readonly Json[] {
  const granted = ["clusterPermissions", "permissions"].flatMap((field) =>
    csvList(bundle, "spec", "install", "spec", field),
  );
  const roles = bundle.objects.filter(({ kind }) => kind === "Role" || kind === "ClusterRole");
  return [...granted, ...roles].flatMap((one) => asList(at(one, "rules")));
}

export function faultsOf<Element>(
  elements: readonly Element[],
  isGood: (element: Element) => boolean,
  describe: (element: Element) => string = (element) => JSON.stringify(element),
): readonly string[] {
  return elements.filter((element) => !isGood(element)).map(describe);
}

/** A rule about one text of the CSV, which `broken` breaks. */
export const csvTextRule = (
  rule: string,
  path: readonly string[],
  isGood: (text: string) => boolean,
  broken: string,
): Rule => ({
  rule,
  findFaults: (bundle) => faultsOf([csvText(bundle, ...path)], isGood),
  breakRule: withCsvField(path, broken),
});

const semantic = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-[\dA-Za-z.-]+)?(?:\+[\dA-Za-z.-]+)?$/;

export const isVersion = (text: string): boolean => semantic.test(text);

export const isSubdomain = (text: string): boolean =>
  text.length <= 253 && /^[a-z\d]([-a-z\d]*[a-z\d])?(\.[a-z\d]([-a-z\d]*[a-z\d])?)*$/.test(text);

export const isLabelValue = (text: string): boolean =>
  text.length <= 63 && /^([A-Za-z\d]([-\w.]*[A-Za-z\d])?)?$/.test(text);
