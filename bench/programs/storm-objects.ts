// The objects in the storm benchmark: small objects of eight kinds, each with one value that drifts.

import type { JsonMap, KubeObject } from "@virt/api";

export const namespace = "storm";
export const group = "storm.example.com";
export const golden = "golden";

/** `part` is the field that holds the object's content. */
export type StormKind = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly part: "data" | "spec";
};

export const ownKinds: readonly StormKind[] = ["Cloud", "Gale", "Gust", "Hail", "Rain", "Squall", "Thunder"].map(
  (kind) => ({ apiVersion: `${group}/v1`, kind, plural: `${kind.toLowerCase()}s`, part: "spec" }),
);

export const kinds: readonly StormKind[] = [
  { apiVersion: "v1", kind: "ConfigMap", plural: "configmaps", part: "data" },
  ...ownKinds,
];

export const kindAt = (at: number): StormKind => kinds[at % kinds.length] as StormKind;

export const listPath = ({ apiVersion, plural }: StormKind): string =>
  `/${apiVersion.includes("/") ? "apis" : "api"}/${apiVersion}/namespaces/${namespace}/${plural}`;

export const fieldNames = Array.from({ length: 8 }, (_, at) => `setting${at}`);
const settings: JsonMap = Object.fromEntries(fieldNames.map((name) => [name, name.padEnd(40, ".")]));

export function stormObject(kind: StormKind, name: string, value: string = golden): KubeObject {
  const { apiVersion, part } = kind;
  return { apiVersion, kind: kind.kind, metadata: { name, namespace }, [part]: { ...settings, value } };
}
