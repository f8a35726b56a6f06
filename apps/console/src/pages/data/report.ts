// Reads the report of the platform controller as table rows, one for each asset.

import type { JsonMap, KubeObject } from "@virt/api";
import { type AssetState, hcoName } from "@virt/cluster";
import { asList, asText, at, isMap, member, readJson } from "@virt/objects";
import { type AssetStateRow, assetStateRows, fieldText } from "@virt/views";
import { type NamedTarget, readTargetName } from "../assets/target-name.ts";

/** A field that another manager owns. Values are short JSON, or empty if the report lacks them. */
export type ContestedField = {
  /** A dotted path, as in the command line. */
  readonly path: string;
  readonly managers: readonly string[];
  readonly wanted: string;
  readonly found: string;
};

export type AssetLine = {
  readonly asset: string;
  readonly group: string;
  readonly object: string;
  readonly target: NamedTarget;
  readonly state: AssetState;
  /** The status of an object, or the reason of an exclusion, as in the report. */
  readonly status: string;
  readonly why: string;
  readonly contested: readonly ContestedField[];
  /** Fields that ignore-fields has released, as dotted paths. */
  readonly released: readonly string[];
  /** JSON pointers: contested fields first, then the fields that the controller sets. */
  readonly fields: readonly string[];
  /** RFC 3339. Empty if the controller has not written the object. */
  readonly lastWrite: string;
  /** The impact of the pending write in one sentence. Empty if none is pending. */
  readonly impact: string;
};

export type ReadReport = {
  readonly rows: readonly AssetLine[];
  readonly hasHco: boolean;
  /** The HyperConverged with the switches. Undefined if there is none or it is ambiguous. */
  readonly hco: NamedTarget | undefined;
};

/** Undefined if the ConfigMap contains no valid report. */
export function readReport(configMap: KubeObject): ReadReport | undefined {
  try {
    const report = readJson(asText(at(configMap, "data", "report.json")) ?? "");
    if (!isMap(report)) return undefined;
    const groups = groupsOf(report);
    const hco = isMap(report["hco"]) ? hcoTarget(report["hco"]) : undefined;
    return {
      rows: assetStateRows(report).flatMap((row) => assetLines(row, groups, hco)),
      hasHco: report["hco"] !== null,
      hco,
    };
  } catch {
    return undefined;
  }
}

function hcoTarget(hco: JsonMap): NamedTarget {
  const apiVersion = asText(hco["apiVersion"]);
  const namespace = asText(hco["namespace"]) ?? "";
  return { kind: "HyperConverged", namespace, name: hcoName, ...(apiVersion !== undefined && { apiVersion }) };
}

function groupsOf(report: JsonMap): ReadonlyMap<string, string> {
  const features = asList(report["features"]).flatMap((feature) =>
    asList(member(feature, "assets")).map(
      (asset) => [asText(asset) ?? "", asText(member(feature, "feature")) ?? ""] as const,
    ),
  );
  return new Map(features);
}

function assetLines(
  { assets, object, state, key, why, entry }: AssetStateRow,
  groups: ReadonlyMap<string, string>,
  hco: NamedTarget | undefined,
): readonly AssetLine[] {
  const target = readTargetName(object);
  return assets.map((asset) => ({
    asset,
    group: asText(entry["group"]) ?? groups.get(asset) ?? "",
    object,
    target: hco?.kind === target.kind ? { ...hco, ...target } : target,
    state,
    status: key,
    why,
    contested: asList(entry["contested"]).map(readContested),
    released: texts(entry["released"]).map(fieldText),
    fields: [
      ...asList(entry["contested"]).map((field) => asText(member(field, "path")) ?? ""),
      ...texts(entry["owned"]),
    ],
    lastWrite: asText(entry["lastWrite"]) ?? "",
    impact: asText(member(entry["impact"], "summary")) ?? "",
  }));
}

function readContested(field: Parameters<typeof member>[0]): ContestedField {
  const text = (key: string) => asText(member(field, key)) ?? "";
  return {
    path: fieldText(text("path")),
    managers: texts(member(field, "managers")),
    wanted: text("wanted"),
    found: text("found"),
  };
}

function texts(list: Parameters<typeof asList>[0]): readonly string[] {
  return asList(list).map((text) => asText(text) ?? "");
}
