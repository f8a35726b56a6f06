// The report of the platform controller as rows of a table: one for each asset of an object, and for each asset that is not applied.

import type { JsonMap, KubeObject } from "@virt/api";
import { type AssetStateRow, assetStateRows, fieldText } from "@virt/client";
import { type AssetState, asList, asText, at, isMap, member, readJson } from "@virt/engine";
import { hcoName } from "@virt/facts";
import type { NamedTarget } from "../assets/target-name.ts";

/** A field that somebody else holds. Values are short JSON; empty where the report does not have them. */
export type ContestedField = {
  /** Dotted, as the command line writes it. */
  readonly path: string;
  readonly managers: readonly string[];
  readonly wanted: string;
  readonly found: string;
};

export type AssetLine = {
  readonly asset: string;
  readonly group: string;
  /** `<Kind> <namespace>/<name>`, as the report has it. */
  readonly object: string;
  readonly state: AssetState;
  /** The word of the report: a status of an object, or the reason of an exclusion. */
  readonly status: string;
  /** Never empty. */
  readonly why: string;
  readonly contested: readonly ContestedField[];
  /** Fields that ignore-fields has released, dotted. */
  readonly released: readonly string[];
  /** Fields as JSON pointers: the contested ones, then those that the controller sets. */
  readonly fields: readonly string[];
  /** RFC 3339; empty where the controller has written nothing. */
  readonly lastWrite: string;
  /** What the write that is due would do to nodes, in one sentence; empty where none is due. */
  readonly impact: string;
};

export type ReadReport = {
  readonly rows: readonly AssetLine[];
  readonly hasHco: boolean;
  /** The HyperConverged whose annotations decide; undefined: there is none, or nobody can say which. */
  readonly hco: NamedTarget | undefined;
};

/** Undefined where the ConfigMap holds no report that can be read. */
export function readReport(configMap: KubeObject): ReadReport | undefined {
  try {
    const report = readJson(asText(at(configMap, "data", "report.json")) ?? "");
    if (!isMap(report)) return undefined;
    const groups = groupsOf(report);
    const hco = report["hco"];
    return {
      rows: assetStateRows(report).flatMap((row) => assetLines(row, groups)),
      hasHco: hco !== null,
      hco: isMap(hco) ? hcoTarget(hco) : undefined,
    };
  } catch {
    return undefined;
  }
}

function hcoTarget(hco: JsonMap): NamedTarget {
  return {
    kind: "HyperConverged",
    namespace: asText(hco["namespace"]) ?? "",
    name: hcoName,
  };
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
): readonly AssetLine[] {
  return assets.map((asset) => ({
    asset,
    group: asText(entry["group"]) ?? groups.get(asset) ?? "",
    object,
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
