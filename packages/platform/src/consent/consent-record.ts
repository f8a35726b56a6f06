// Reads and writes the record of what users consented to. It survives restarts and leader changes.

import type { KubeObject } from "@virt/api";
import { asText, at, canonicalJson, isMap, member, parseJson } from "@virt/objects";
import type { LegacyConsent } from "./legacy-consent.ts";

/** The name of the ConfigMap with the record, in the operator's namespace. */
export const consentRecordName = "virt-platform-operator-consent";
const dataKey = "consent.json";

/** The stored consent. `legacy` is absent if no earlier release was active through annotation `autopilot`. */
export type ConsentRecord = { readonly legacy?: LegacyConsent };

export type StoredConsent =
  | { readonly kind: "record"; readonly record: ConsentRecord }
  | { readonly kind: "absent" }
  | { readonly kind: "unreadable" };

/** Reads a stored record. Distinguishes an absent record from an unreadable one, which consents to nothing. */
export function readConsentRecord(stored: KubeObject | undefined): StoredConsent {
  if (stored === undefined) return { kind: "absent" };
  const value = parseJson(consentText(stored) ?? "");
  if (!isMap(value) || member(value, "version") !== 1) return { kind: "unreadable" };
  const legacy = member(value, "legacy");
  if (legacy === undefined) return { kind: "record", record: {} };
  const [autopilot, isEnded] = [asText(member(legacy, "autopilot")), member(legacy, "isEnded")];
  if (autopilot === undefined || typeof isEnded !== "boolean") return { kind: "unreadable" };
  return { kind: "record", record: { legacy: { autopilot, isEnded } } };
}

/** Returns the stored string. Undefined if there is none. */
export function consentText(stored: KubeObject | undefined): string | undefined {
  return asText(at(stored, "data", dataKey));
}

/** Serializes a record. Equal records result in equal strings. */
export function writeConsentRecord({ legacy }: ConsentRecord): string {
  return canonicalJson({ version: 1, ...(legacy && { legacy: { ...legacy } }) });
}

/** Returns the ConfigMap with the written record. */
export function consentObject(namespace: string, text: string): KubeObject {
  const metadata = { name: consentRecordName, namespace };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data: { [dataKey]: text } };
}
