// Reads and writes the governance record, which persists across restarts, leader changes and the deletion of plans.

import type { JsonMap, KubeObject } from "@virt/api";
import { asText, at, canonicalJson, entriesOf, isMap, type Json, member, parseJson } from "@virt/objects";
import { type AssetSwitches, parseAssetSwitches } from "./asset-switches.ts";

/** The name of the ConfigMap with the record, in the operator's namespace. */
export const governanceRecordName = "virt-platform-operator-governance";
const key = "governance.json";

/** The stored history of governance. `governed` maps an asset to its config. */
export type GovernanceRecord = {
  readonly governed: Readonly<Record<string, string>>;
  /** Assets that a plan has released, with the config. The operator does not write them until a user requests them. */
  readonly released: Readonly<Record<string, ReleasedAsset>>;
  /** The configs whose execution is already part of the record, by name. */
  readonly accounted: Readonly<Record<string, AccountedConfig>>;
};

/** An asset that a plan governed before and does not govern now. */
export type ReleasedAsset = {
  readonly by: string;
  /** The switches at the time of the release, to detect requests. If absent, no switch counts as a request. */
  readonly since?: SwitchesSince;
  /** Set if a user has requested pruning since the release. */
  readonly isPruneAsked?: true;
};

/** The switches of an asset in a version of the HyperConverged that is at least as new as the release. */
export type SwitchesSince = {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly switches: AssetSwitches;
};

export type AccountedConfig = { readonly uid: string; readonly generation: number };

/** The record of a cluster without plans. */
export const emptyRecord: GovernanceRecord = { governed: {}, released: {}, accounted: {} };

export type StoredRecord =
  | { readonly kind: "record"; readonly record: GovernanceRecord }
  | { readonly kind: "absent" }
  | { readonly kind: "unreadable" };

/** Reads a stored record. The result shows whether the record is missing or malformed. */
export function readGovernanceRecord(stored: KubeObject | undefined): StoredRecord {
  if (stored === undefined) return { kind: "absent" };
  const value = parseJson(governanceText(stored) ?? "");
  if (!isMap(value) || member(value, "version") !== 1) return { kind: "unreadable" };
  const governed = mapOf(value, "governed", asText);
  const released = mapOf(value, "released", releasedIn);
  const accounted = mapOf(value, "accounted", accountedIn);
  if (governed === undefined || released === undefined || accounted === undefined) return { kind: "unreadable" };
  return { kind: "record", record: { governed, released, accounted } };
}

/** Returns the stored string, or undefined if there is none. */
export function governanceText(stored: KubeObject | undefined): string | undefined {
  return asText(at(stored, "data", key));
}

/** Serializes a record. Equal records result in equal strings. */
export function writeGovernanceRecord(record: GovernanceRecord): string {
  return canonicalJson({ version: 1, ...record });
}

/** Returns the ConfigMap with the written record. */
export function governanceObject(namespace: string, text: string): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: governanceRecordName, namespace },
    data: { [key]: text },
  };
}

/** Parses a map. A single invalid entry makes the whole map invalid, because it may be the entry that matters. */
function mapOf<T>(
  value: JsonMap,
  name: string,
  parse: (inner: Json | undefined) => T | undefined,
): Readonly<Record<string, T>> | undefined {
  const inner = member(value, name);
  if (!isMap(inner)) return undefined;
  const parsed = entriesOf(inner).map(([entry, one]) => [entry, parse(one)] as const);
  if (parsed.some(([, one]) => one === undefined)) return undefined;
  return Object.fromEntries(parsed as readonly (readonly [string, T])[]);
}

function releasedIn(value: Json | undefined): ReleasedAsset | undefined {
  const by = asText(member(value, "by"));
  const since = sinceIn(member(value, "since"));
  if (by === undefined) return undefined;
  return { by, ...(since && { since }), ...(member(value, "isPruneAsked") === true && { isPruneAsked: true }) };
}

function sinceIn(value: Json | undefined): SwitchesSince | undefined {
  const [uid, resourceVersion] = [asText(member(value, "uid")), asText(member(value, "resourceVersion"))];
  const switches = parseAssetSwitches(member(value, "switches"));
  if (uid === undefined || resourceVersion === undefined || switches === undefined) return undefined;
  return { uid, resourceVersion, switches };
}

function accountedIn(value: Json | undefined): AccountedConfig | undefined {
  const [uid, generation] = [asText(member(value, "uid")), member(value, "generation")];
  return uid === undefined || typeof generation !== "number" ? undefined : { uid, generation };
}
