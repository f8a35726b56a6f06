// The report of the platform controller as rows of a table: one for each asset of an object, and for each asset that is not applied.

import type { JsonMap, KubeObject } from "@virt/api";
import { asList, asText, at, isMap, member, readJson } from "@virt/engine";
import { hcoName } from "@virt/facts";
import type { NamedTarget } from "../assets/target-name.ts";
import type { Compliance } from "../parts/labels.tsx";
import { strings } from "../strings.ts";

/** A field that somebody else holds. Values are short JSON; empty where the report does not have them. */
export type ContestedField = {
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
  readonly compliance: Compliance;
  /** The word of the report: a status of an object, or the reason of an exclusion. */
  readonly status: string;
  readonly why: string;
  readonly contested: readonly ContestedField[];
  /** Pointers that ignore-fields has released. */
  readonly released: readonly string[];
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
    const objects = asList(report["objects"]).flatMap((row) => objectLines(row as JsonMap, groups));
    const exclusions = asList(report["exclusions"]).map((row) => exclusionLine(row as JsonMap));
    const hco = report["hco"];
    return {
      rows: mergeLines(objects, exclusions),
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

function objectLines(row: JsonMap, groups: ReadonlyMap<string, string>): readonly AssetLine[] {
  const status = asText(row["status"]) ?? "";
  if (status === "Excluded") return []; // told, with its reason, among the exclusions
  const contested = asList(row["contested"]).map(readContested);
  const compliances: Readonly<Record<string, Compliance>> = strings.assets.statuses;
  const isContested = contested.length > 0 && status === "InSync";
  return texts(row["assets"]).map((asset) => ({
    asset,
    group: groups.get(asset) ?? "",
    object: asText(row["object"]) ?? "",
    compliance: isContested ? "contested" : (compliances[status] ?? "failed"),
    status,
    why: whyOf(row, contested),
    contested,
    released: texts(row["released"]),
    lastWrite: asText(row["lastWrite"]) ?? "",
    impact: asText(member(row["impact"], "summary")) ?? "",
  }));
}

function readContested(field: Parameters<typeof member>[0]): ContestedField {
  const text = (key: string) => asText(member(field, key)) ?? "";
  return {
    path: text("path"),
    managers: texts(member(field, "managers")),
    wanted: text("wanted"),
    found: text("found"),
  };
}

function whyOf(row: JsonMap, contested: readonly ContestedField[]): string {
  const said = asText(row["lastError"]) ?? asText(row["held"]);
  if (said !== undefined) return said;
  if (contested.length > 0)
    return strings.assets.contestedBy(contested.map(({ path, managers }) => `${path} (${managers.join(", ")})`));
  return isMap(row["fights"]) ? Object.keys(row["fights"]).join("; ") : "";
}

function texts(list: Parameters<typeof asList>[0]): readonly string[] {
  return asList(list).map((text) => asText(text) ?? "");
}

const failures: ReadonlySet<string> = new Set(["RenderError", "InvalidExclusions", "InvalidPatch"]);
const statesOfReasons: Readonly<Record<string, Compliance>> = { Paused: "paused", Contested: "contested" };

function exclusionLine(row: JsonMap): AssetLine {
  const reason = asText(row["reason"]) ?? "";
  const words = strings.assets.reasons[reason] ?? reason;
  const details = asText(row["details"]) ?? "";
  return {
    asset: asText(row["asset"]) ?? "",
    group: asText(row["group"]) ?? "",
    object: asText(row["target"]) ?? "",
    compliance: failures.has(reason) ? "failed" : (statesOfReasons[reason] ?? "excluded"),
    status: reason,
    why: details === "" ? words : `${words}: ${details}`,
    contested: [],
    released: [],
    lastWrite: "",
    impact: "",
  };
}

/** The report tells of an object that is paused, unmanaged or contested in both lists: the exclusion says why. */
function mergeLines(objects: readonly AssetLine[], exclusions: readonly AssetLine[]): readonly AssetLine[] {
  const keyOf = ({ asset, object }: AssetLine) => `${asset} ${object}`;
  const whys = new Map(exclusions.map((line) => [keyOf(line), line.why]));
  const known = new Set(objects.map(keyOf));
  return [
    ...objects.map((line) => ({ ...line, why: whys.get(keyOf(line)) ?? line.why })),
    ...exclusions.filter((line) => !known.has(keyOf(line))),
  ];
}
