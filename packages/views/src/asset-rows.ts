// Reads the platform controller's report into one row per asset, with its state and the reason.

import { type AssetState, assetReasonTexts, assetStateOf, assetStateTexts } from "@virt/cluster";
import { foreignText } from "@virt/impact";
import { asList, asText, isMap, type Json, type JsonMap, member } from "@virt/objects";

/** Assets that share an object share a row. */
export type AssetStateRow = {
  readonly assets: readonly string[];
  /** `<Kind> <namespace>/<name>`, as in the report. */
  readonly object: string;
  readonly state: AssetState;
  readonly why: string;
  /** The operator or plan that manages the object, or `none`. Empty in the report of an earlier version. */
  readonly managedBy: string;
  /** The status of the object, or the reason for the exclusion, as in the report. */
  readonly key: string;
  readonly entry: JsonMap;
};

/** Returns the assets that have an object, then the excluded ones. Empty if the value is not a report. */
export function assetStateRows(report: Json): readonly AssetStateRow[] {
  const entries = asList(member(report, "objects")).filter(isMap);
  const managers = new Map(entries.map((entry) => [textIn(entry, "object"), textIn(entry, "managedBy")]));
  const exclusions = asList(member(report, "exclusions"))
    .filter(isMap)
    .map((entry) => exclusionRow(entry, managers));
  const whys = new Map(
    exclusions.flatMap(({ assets, object, why }) => assets.map((asset) => [`${asset} ${object}`, why])),
  );
  const objects = entries
    .filter((entry) => entry["status"] !== "Excluded" && textsIn(entry["assets"]).length > 0)
    .map((entry) => objectRow(entry, whys));
  const known = new Set(objects.flatMap(({ assets, object }) => assets.map((asset) => `${asset} ${object}`)));
  return [
    ...objects,
    ...exclusions.filter(({ assets, object }) => !assets.some((asset) => known.has(`${asset} ${object}`))),
  ];
}

function objectRow(entry: JsonMap, whys: ReadonlyMap<string, string>): AssetStateRow {
  const [key, object, assets] = [textIn(entry, "status"), textIn(entry, "object"), textsIn(entry["assets"])];
  const contested = asList(entry["contested"]).map(contestedText).join(", ");
  const state = assetStateOf(key, contested !== "");
  const excluded = assets.flatMap((asset) => whys.get(`${asset} ${object}`) ?? [])[0];
  const causes = [textIn(entry, "lastError"), textIn(entry, "held"), excluded ?? "", contested, fightsText(entry)];
  return {
    assets,
    object,
    state,
    why: causes.find((text) => text !== "") ?? assetStateTexts[state],
    managedBy: textIn(entry, "managedBy"),
    key,
    entry,
  };
}

function exclusionRow(entry: JsonMap, managers: ReadonlyMap<string, string>): AssetStateRow {
  const [key, details, object] = [textIn(entry, "reason"), textIn(entry, "details"), textIn(entry, "target")];
  const state = assetStateOf(key);
  const words = assetReasonTexts[key];
  const reason = words === undefined ? key : `${words} (${key})`;
  const parts = key === "NotListed" ? [reason] : [reason, details]; // the details repeat the reason
  const why = parts.filter((text) => text !== "").join(": ") || assetStateTexts[state];
  const managedBy = managers.get(object) ?? "";
  return { assets: [textIn(entry, "asset")], object, state, why, managedBy, key, entry };
}

/** `spec.minHealthy (owned by gitops)` */
function contestedText(field: Json): string {
  return `${fieldText(textIn(field, "path"))} (owned by ${textsIn(member(field, "managers")).join(", ")})`;
}

/** The report counts corrections by `<pointer>|<manager>`. */
function fightsText(entry: JsonMap): string {
  const fights = entry["fights"];
  const counts = isMap(fights) ? Object.entries(fights) : [];
  return counts
    .map(([key, count]) => {
      const [pointer = "", manager = ""] = key.split("|");
      const times = count === 1 ? "once" : `${JSON.stringify(count)} times`;
      return `${fieldText(pointer)} was corrected ${times} after ${manager} changed it`;
    })
    .join(", ");
}

/** Converts a JSON pointer to a dotted path: `/spec/minHealthy` becomes `spec.minHealthy`. */
export function fieldText(pointer: string): string {
  const names = pointer
    .split("/")
    .slice(1)
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
  return pointer.startsWith("/") ? names.join(".") : pointer;
}

/** Returns all details of the row in the report, as lines of text. */
export function assetDetailLines({ object, state, why, managedBy, entry }: AssetStateRow): readonly string[] {
  const list = (title: string, texts: readonly string[]) =>
    texts.length === 0 ? [] : [`${title}:`, ...texts.map((text) => `  ${foreignText(text, 400)}`)];
  const line = (title: string, text: string) => (text === "" ? [] : [`${title}: ${foreignText(text, 600)}`]);
  const contested = asList(entry["contested"]).map(
    (field) => `${contestedText(field)}: wanted ${textIn(field, "wanted")}, found ${textIn(field, "found")}`,
  );
  return [
    ...line("Object", object),
    ...line("State", state),
    ...line("Reason", why),
    ...line("Managed by", managedBy),
    ...line("Last write", textIn(entry, "lastWrite")),
    ...line("Pending write", textIn(member(entry, "impact") ?? null, "summary")),
    ...list("Contested fields", contested),
    ...list("Fields set by the platform controller", textsIn(entry["owned"]).map(fieldText)),
    ...list("Released fields", textsIn(entry["released"]).map(fieldText)),
    ...line("Corrections", fightsText(entry)),
  ];
}

function textIn(value: Json, key: string): string {
  return asText(member(value, key)) ?? "";
}

function textsIn(value: Json | undefined): readonly string[] {
  return asList(value ?? null).flatMap((text) => asText(text) ?? []);
}
