// The report of all objects, and the pages of exclusions, features and facts.

import type { JsonMap, KubeObject } from "@virt/api";
import { assetStateOf, isGoverning, utf8Length } from "@virt/engine";
import type { HardwareChange } from "@virt/facts";
import { shorten } from "../annotation-values.ts";
import type { Asset } from "../asset.ts";
import type { ClusterFacts } from "../evaluate/cluster-facts.ts";
import { annotationPrefix } from "../hco-annotations.ts";
import { tableText } from "./render-text.ts";
import type { AssetRow, ObjectRow } from "./rows.ts";
import { type FeatureRow, neededCrds } from "./words.ts";

/** The name of the report ConfigMap. */
export const reportName = "virt-platform-operator-report";

/** What the report ConfigMap holds. Its keys are an interface: they stay. */
export type Report = {
  readonly version: 1;
  readonly activation: { readonly mode: string; readonly isActive: boolean };
  /** Null: there is none, or nobody can say which. */
  readonly hco: { readonly apiVersion: string; readonly namespace: string } | null;
  readonly features: readonly FeatureState[];
  readonly objects: readonly ObjectRow[];
  readonly exclusions: readonly Exclusion[];
  /** Changes that the nodes report and that do not count yet. Absent: none. */
  readonly hardwareChanges?: readonly HardwareChange[];
};

/** What the report says of the HyperConverged; null where there is none. */
export function hcoOf({ hco }: ClusterFacts): Report["hco"] {
  return hco === undefined ? null : { apiVersion: hco.apiVersion, namespace: hco.namespace };
}

const mostBytes = 500_000; // an object may have a mebibyte, and whoever watches it gets all of it each time

/** Lists of fields go first when it grows too long: the objects themselves say them, too. */
export function writeReport(report: Report): string {
  const text = JSON.stringify(report);
  if (utf8Length(text) <= mostBytes) return text;
  const objects = report.objects.map((row) => ({ ...row, owned: [], released: [] }));
  return JSON.stringify({ ...report, objects, isCut: true });
}

const mostLines = 300;
const widest = 160;

/** The same for people: a table of objects, and of assets that are not applied. */
export function reportText(report: Report): string {
  const { activation, hco, objects, exclusions, hardwareChanges = [] } = report;
  const state = activation.isActive ? "active" : "idle";
  const from = hco === null ? "no HyperConverged" : `HyperConverged in namespace ${hco.namespace} (${hco.apiVersion})`;
  const rows = objects
    .filter(({ status }) => status !== "Excluded")
    .map(({ object, status, assets, held = "", lastError = held, contested }) => [
      object,
      assetStateOf(status, contested.length > 0),
      assets.join(","),
      shorten(lastError || contested.map(({ path }) => path).join(", "), widest),
    ]);
  const pending = objects.flatMap(({ object, impact }) => (impact === undefined ? [] : [[object, impact.summary]]));
  const changes = hardwareChanges.map(({ name, counted, seen, countsAt }) => [name, `${counted}`, `${seen}`, countsAt]);
  const left = exclusions.map(({ asset, reason, details }) => [
    asset,
    assetStateOf(reason),
    reason,
    shorten(details, widest),
  ]);
  return [
    `Platform controller: ${state} (--activation=${activation.mode}), ${from}\n`,
    section("Objects", [["OBJECT", "STATE", "ASSETS", "ERROR OR CONTESTED FIELDS"], ...rows]),
    section("Pending writes that change nodes", [["OBJECT", "IMPACT"], ...pending]),
    section("Hardware changes that have not taken effect yet", [
      ["HARDWARE", "CURRENT", "DETECTED", "TAKES EFFECT"],
      ...changes,
    ]),
    section("Assets that are not applied", [["ASSET", "STATE", "REASON", "DETAILS"], ...left]),
  ].join("");
}

function section(title: string, rows: readonly (readonly string[])[]): string {
  if (rows.length < 2) return "";
  const more = rows.length > mostLines ? `… ${rows.length - mostLines} more in report.json\n` : "";
  return `\n${title}:\n${tableText(rows.slice(0, mostLines))}${more}`;
}

/** The ConfigMap that publishes a report. */
export function reportObject(namespace: string, report: Report): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: reportName, namespace },
    data: { "report.json": writeReport(report), "report.txt": reportText(report) },
  };
}

/** An asset that is not applied, and why. */
export type Exclusion = {
  readonly asset: string;
  readonly group: string;
  readonly target: string;
  readonly reason: string;
  /** With what was expected and what is there. */
  readonly details: string;
};

/** The assets that are not applied, of these rows. */
export function exclusionsOf(rows: readonly AssetRow[]): readonly Exclusion[] {
  return rows
    .filter(({ status }) => status !== "INCLUDED")
    .map(({ asset, target, reason = "", details = "" }) => ({
      asset: asset.name,
      group: asset.group ?? asset.name,
      target,
      reason,
      details,
    }));
}

/** A row of the feature table, with what became of its assets here. */
export type FeatureState = FeatureRow & {
  /** Those of its assets that are applied here. */
  readonly active: readonly string[];
};

/** The feature table with what became of each feature here. */
export function featureStates(features: readonly FeatureRow[], rows: readonly AssetRow[]): readonly FeatureState[] {
  const included = new Set(rows.flatMap(({ asset, status }) => (status === "INCLUDED" ? [asset.name] : [])));
  return features.map((row) => ({ ...row, active: row.assets.filter((asset) => included.has(asset)) }));
}

/** What assets are decided by. Of annotations only ours: others may hold anything. */
export function factsOf(facts: ClusterFacts, assets: readonly Asset[]): JsonMap {
  const { hco, activation, hardware, hardwareChanges, topology, images, crds, plans } = facts;
  const needed = [...new Set(assets.flatMap(neededCrds))].toSorted();
  return {
    hco: hco === undefined ? null : { ...hco, annotations: own(hco.annotations) },
    activation: {
      isActive: activation.isActive,
      listed: activation.listed === undefined ? null : [...activation.listed],
      unknown: activation.unknown,
    },
    exclusions: facts.exclusions === undefined ? null : facts.exclusions.length,
    invalidDevices: facts.brokenDevices,
    hardware,
    hardwareChanges: hardwareChanges.map((change) => ({ ...change })),
    topology,
    images,
    crds: Object.fromEntries(needed.map((crd) => [crd, crds.has(crd)])),
    plans: plans.filter(isGoverning).map(({ metadata }) => metadata.name),
    released: Object.fromEntries(Object.entries(facts.released).map(([asset, { by }]) => [asset, by])),
    ownNamespace: facts.ownNamespace,
  };
}

function own(annotations: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => key.startsWith(annotationPrefix)));
}
