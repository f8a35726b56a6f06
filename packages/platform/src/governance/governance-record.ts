// What is remembered of plans that govern assets, so that it outlives processes, leaders and the plans themselves.

import type { JsonMap, KubeObject } from "@virt/api";
import { asText, at, canonicalJson, entriesOf, isMap, type Json, member, parseJson } from "@virt/engine";
import { type AssetSwitches, parseAssetSwitches } from "./asset-switches.ts";

/** The name of that ConfigMap. */
export const governanceRecordName = "virt-platform-operator-governance";
const key = "governance.json";

/** Which plans govern which assets, and what was released and not asked for since. */
export type GovernanceRecord = {
  /** By asset, the config that governs it. */
  readonly governed: Readonly<Record<string, string>>;
  /** By asset, the config that governed it last. Nothing is written for it until a person asks. */
  readonly released: Readonly<Record<string, ReleasedAsset>>;
  /** Configs that govern no more, and whose former execution is accounted for. */
  readonly accounted: Readonly<Record<string, AccountedConfig>>;
};

/** An asset that a plan governed and let go of. */
export type ReleasedAsset = {
  readonly by: string;
  /** What is compared with to see a switch set anew; absent while it is not known: then nothing counts as set anew. */
  readonly since?: SwitchesSince;
  /** A person asked since then to have it pruned. */
  readonly isPruneAsked?: true;
};

/** The switches of an asset in a version of the HyperConverged that is not older than the hand-over. */
export type SwitchesSince = {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly switches: AssetSwitches;
};

export type AccountedConfig = { readonly uid: string; readonly generation: number };

/** The record before any plan governed anything. */
export const emptyRecord: GovernanceRecord = { governed: {}, released: {}, accounted: {} };

export type StoredRecord =
  | { readonly kind: "record"; readonly record: GovernanceRecord }
  | { readonly kind: "absent" }
  | { readonly kind: "unreadable" };

/** Reads a stored record; an absent one and an unreadable one are told apart. */
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

/** As it is stored; undefined: nothing is. */
export function governanceText(stored: KubeObject | undefined): string | undefined {
  return asText(at(stored, "data", key));
}

/** The same text for the same record. */
export function writeGovernanceRecord(record: GovernanceRecord): string {
  return canonicalJson({ version: 1, ...record });
}

/** The ConfigMap that stores a record. */
export function governanceObject(namespace: string, text: string): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: governanceRecordName, namespace },
    data: { [key]: text },
  };
}

/** All or nothing: a part that cannot be read may be the one that matters. */
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
