// Converts the platform controller's report to table rows, one per asset.

import type { JsonMap, KubeObject } from "@virt/api";
import { type AssetState, hcoName } from "@virt/cluster";
import { asList, asText, at, isMap, member, readJson } from "@virt/objects";
import { type AssetStateRow, assetStateRows, fieldText, type PlatformOperators, platformOperators } from "@virt/views";
import { type NamedTarget, readTargetName } from "../assets/target-name.ts";

/** A field that another manager owns. Values are shortened JSON, or empty if the report does not include them. */
export type ContestedField = {
  /** The field as a dotted path, as on the command line. */
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
  /** The operator or plan that manages the object, or `none`. Empty if the report lacks it. */
  readonly managedBy: string;
  readonly contested: readonly ContestedField[];
  /** The fields that the operator released because of ignore-fields, as dotted paths. */
  readonly released: readonly string[];
  /** JSON pointers: contested fields first, then the fields that the controller sets. */
  readonly fields: readonly string[];
  /** The time of the last write, in RFC 3339 format. Empty if the controller has not written the object. */
  readonly lastWrite: string;
  /** The impact of the pending write, as one sentence. Empty if no write is pending. */
  readonly impact: string;
};

export type ReadReport = {
  readonly rows: readonly AssetLine[];
  readonly hasHco: boolean;
  /** The HyperConverged whose annotations control the platform controller. Undefined if there is none, or more than one. */
  readonly hco: NamedTarget | undefined;
  /** Undefined if the report lacks the state of virt-platform-autopilot. */
  readonly operators: PlatformOperators | undefined;
};

/** Returns undefined if the ConfigMap does not contain a valid report. */
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
      operators: platformOperators(report),
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
  { assets, object, state, key, why, managedBy, entry }: AssetStateRow,
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
    managedBy,
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
