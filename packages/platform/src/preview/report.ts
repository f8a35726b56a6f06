// Builds the report of all objects, and the data for the exclusions, features and facts pages.

import { autopilotName, type JsonMap, type KubeObject } from "@virt/api";
import { assetStateOf, type CombinedState, type HardwareChange, isGoverning } from "@virt/cluster";
import { utf8Length } from "@virt/objects";
import { shorten } from "../annotation-values.ts";
import type { Asset } from "../asset.ts";
import type { AutopilotFact } from "../autopilot/manager.ts";
import type { ClusterFacts } from "../evaluate/cluster-facts.ts";
import { annotationPrefix } from "../hco-annotations.ts";
import { tableText } from "./render-text.ts";
import type { AssetRow, ObjectRow } from "./rows.ts";
import { type FeatureRow, neededCrds } from "./words.ts";

/** The name of the ConfigMap with the report, in the operator's namespace. */
export const reportName = "virt-platform-operator-report";

/** The content of the report ConfigMap. Its keys are a stable interface. */
export type Report = {
  readonly version: 1;
  readonly activation: { readonly mode: string; readonly isActive: boolean };
  /** The state of virt-platform-autopilot. Absent without a HyperConverged, and in reports of earlier releases. */
  readonly autopilot?: AutopilotFact;
  /** Which of the two operators are active. Absent together with `autopilot`. */
  readonly combinedState?: CombinedState;
  /** Null if there is none or it is ambiguous. */
  readonly hco: { readonly apiVersion: string; readonly namespace: string } | null;
  readonly features: readonly FeatureState[];
  readonly objects: readonly ObjectRow[];
  readonly exclusions: readonly Exclusion[];
  /** Hardware changes that are too recent to take effect. Absent if there are none. */
  readonly hardwareChanges?: readonly HardwareChange[];
};

/** Returns the identity of the HyperConverged for the report. Null if there is none. */
export function hcoOf({ hco }: ClusterFacts): Report["hco"] {
  return hco === undefined ? null : { apiVersion: hco.apiVersion, namespace: hco.namespace };
}

const mostBytes = 500_000; // well below the limit of 1 MiB, because each change sends the whole report to every watcher

/** Serializes a report. If it exceeds 500 kB, drops the lists of fields, which the objects themselves also show. */
export function writeReport(report: Report): string {
  const text = JSON.stringify(report);
  if (utf8Length(text) <= mostBytes) return text;
  const objects = report.objects.map((row) => ({ ...row, owned: [], released: [] }));
  return JSON.stringify({ ...report, objects, isCut: true });
}

const mostLines = 300;
const widest = 160;

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
    ...autopilotLines(report),
    section("Objects", [["OBJECT", "STATE", "ASSETS", "ERROR OR CONTESTED FIELDS"], ...rows]),
    section("Pending writes that change nodes", [["OBJECT", "IMPACT"], ...pending]),
    section("Hardware changes that have not taken effect yet", [
      ["HARDWARE", "CURRENT", "DETECTED", "TAKES EFFECT"],
      ...changes,
    ]),
    section("Assets that are not applied", [["ASSET", "STATE", "REASON", "DETAILS"], ...left]),
  ].join("");
}

function autopilotLines({ autopilot, objects }: Report): readonly string[] {
  if (autopilot === undefined || autopilot.state === "Absent") return [];
  const count = objects.filter(({ managedBy }) => managedBy === autopilotName).length;
  return [`${autopilotName}: ${autopilot.state.toLowerCase()} since ${autopilot.since}, manages ${count} objects\n`];
}

function section(title: string, rows: readonly (readonly string[])[]): string {
  if (rows.length < 2) return "";
  const more = rows.length > mostLines ? `… ${rows.length - mostLines} more in report.json\n` : "";
  return `\n${title}:\n${tableText(rows.slice(0, mostLines))}${more}`;
}

/** Returns the ConfigMap with the report as JSON and as text. */
export function reportObject(namespace: string, report: Report): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: reportName, namespace },
    data: { "report.json": writeReport(report), "report.txt": reportText(report) },
  };
}

/** An asset that is not applied, with its reason. */
export type Exclusion = {
  readonly asset: string;
  readonly group: string;
  readonly target: string;
  readonly reason: string;
  readonly details: string;
};

/** Returns the assets that are not applied, in the order of the rows. */
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

/** A feature with the names of its assets that are applied. */
export type FeatureState = FeatureRow & {
  readonly active: readonly string[];
};

/** Adds the names of the applied assets to each feature. */
export function featureStates(features: readonly FeatureRow[], rows: readonly AssetRow[]): readonly FeatureState[] {
  const included = new Set(rows.flatMap(({ asset, status }) => (status === "INCLUDED" ? [asset.name] : [])));
  return features.map((row) => ({ ...row, active: row.assets.filter((asset) => included.has(asset)) }));
}

/** Returns the facts for display, without annotations of other clients, which may contain anything. */
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
