// Reads the HyperConverged independently of its API version, and translates pointers between versions.

import type { Json, JsonMap, KubeObject } from "@virt/api";
import { asList, asText, at, entriesOf, isMap, member, movesTo, type Pointer } from "@virt/objects";

/** The HyperConverged as assets see it, independent of the served version. */
export type AssetHcoFact = {
  readonly apiVersion: "hco.kubevirt.io/v1" | "hco.kubevirt.io/v1beta1";
  readonly namespace: string;
  readonly name: string;
  readonly annotations: Readonly<Record<string, string>>;
  /** Feature gates by lower-case name. Those in the feature-gates annotation are enabled. */
  readonly featureGates: Readonly<Record<string, boolean>>;
  readonly liveMigration: {
    readonly parallelMigrationsPerCluster: number;
    readonly parallelOutboundMigrationsPerNode: number;
  };
  readonly ksmConfiguration: Json | undefined;
  readonly permittedHostDevices: JsonMap;
  readonly applicationAwareQuota: boolean;
  readonly persistentReservation: boolean;
  readonly uninstallStrategy: string | undefined;
};

/** Paths of settings in the HyperConverged, by its apiVersion. */
export const hcoPaths = {
  "hco.kubevirt.io/v1beta1": {
    liveMigration: ["spec", "liveMigrationConfig"],
    ksmConfiguration: ["spec", "ksmConfiguration"],
    permittedHostDevices: ["spec", "permittedHostDevices"],
    applicationAwareQuota: ["spec", "enableApplicationAwareQuota"],
    persistentReservation: ["spec", "featureGates", "persistentReservation"],
    uninstallStrategy: ["spec", "uninstallStrategy"],
  },
  "hco.kubevirt.io/v1": {
    liveMigration: ["spec", "virtualization", "liveMigrationConfig"],
    ksmConfiguration: ["spec", "virtualization", "ksmConfiguration"],
    permittedHostDevices: ["spec", "virtualization", "permittedHostDevices"],
    applicationAwareQuota: ["spec", "deployment", "applicationAwareConfig", "enable"],
    persistentReservation: ["spec", "storage", "persistentReservationConfiguration", "enabled"],
    uninstallStrategy: ["spec", "deployment", "uninstallStrategy"],
  },
} as const;

/** Reads a HyperConverged. Missing numbers get the defaults of `schema`, the openAPIV3Schema of its version. */
export function readHco(object: KubeObject, schema: JsonMap | undefined): AssetHcoFact {
  const apiVersion = object.apiVersion === "hco.kubevirt.io/v1beta1" ? "hco.kubevirt.io/v1beta1" : "hco.kubevirt.io/v1";
  const paths = hcoPaths[apiVersion];
  const annotations = object.metadata.annotations ?? {};
  const number = (field: string, otherwise: number) =>
    migrations(at(object, ...paths.liveMigration, field)) ??
    migrations(defaultAt(schema, [...paths.liveMigration, field])) ??
    otherwise;
  const devices = at(object, ...paths.permittedHostDevices);
  return {
    apiVersion,
    namespace: object.metadata.namespace ?? "",
    name: object.metadata.name,
    annotations,
    featureGates: gatesOf(at(object, "spec", "featureGates"), annotations[gatesAnnotation]),
    liveMigration: {
      parallelMigrationsPerCluster: number("parallelMigrationsPerCluster", 5),
      parallelOutboundMigrationsPerNode: number("parallelOutboundMigrationsPerNode", 2),
    },
    ksmConfiguration: at(object, ...paths.ksmConfiguration),
    permittedHostDevices: isMap(devices) ? devices : {},
    applicationAwareQuota: at(object, ...paths.applicationAwareQuota) === true,
    persistentReservation: at(object, ...paths.persistentReservation) === true,
    uninstallStrategy: asText(at(object, ...paths.uninstallStrategy)),
  };
}

const gatesAnnotation = "platform.kubevirt.io/feature-gates";

/** Reports whether a gate is on. Ignores case. */
export function isGateOn({ featureGates }: Pick<AssetHcoFact, "featureGates">, gate: string): boolean {
  const name = gate.toLowerCase();
  return Object.hasOwn(featureGates, name) && featureGates[name] === true;
}

// An invalid number counts as absent.
function migrations(value: Json | undefined): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value > 0 ? value : undefined;
}

function defaultAt(schema: JsonMap | undefined, path: readonly string[]): Json | undefined {
  return member(at(schema, ...path.flatMap((name) => ["properties", name])), "default");
}

function gatesOf(given: Json | undefined, annotation: string | undefined): Readonly<Record<string, boolean>> {
  const added = (annotation ?? "").split(",").map((name) => name.trim());
  const gates = [...gateEntries(given), ...added.map((name) => [name, true] as const)];
  return Object.fromEntries(gates.flatMap(([name, isOn]) => (name === "" ? [] : [[name.toLowerCase(), isOn]])));
}

// Accepts a map of booleans, a list of names, or a list of names with states.
function gateEntries(given: Json | undefined): readonly (readonly [string, boolean])[] {
  if (isMap(given)) return entriesOf(given).map(([name, value]) => [name, value === true]);
  return asList(given).flatMap((gate) => {
    const name = asText(gate) ?? asText(member(gate, "name"));
    const state = member(gate, "state") ?? "Enabled";
    return name === undefined ? [] : [[name, state === "Enabled"] as const];
  });
}

/**
 * Translates pointers to the served version. Keeps pointers that already match or are unknown. A parent expands to
 * those of its fields that moved.
 */
export function hcoPointers(pointers: readonly Pointer[], served: AssetHcoFact["apiVersion"]): readonly Pointer[] {
  return pointers.flatMap((pointer) => translate(pointer, served));
}

function translate(pointer: Pointer, served: AssetHcoFact["apiVersion"]): readonly Pointer[] {
  const [root, first] = pointer;
  if (root !== "spec" || first === undefined) return [pointer];
  if (first === "featureGates") return [gatePointer(pointer, served)];
  const moves = movesTo({ kind: "HyperConverged", apiVersion: served });
  const above = moves.find(({ from }) => startsWith(pointer, from));
  const below = moves.filter(({ from }) => startsWith(from, pointer));
  if (above?.to !== undefined && below.length === 0) return [[...above.to, ...pointer.slice(above.from.length)]];
  return below.length > 0 ? below.flatMap(({ to }) => (to === undefined ? [] : [to])) : [pointer];
}

// Feature gates are a map in v1beta1 and an atomic list in v1. A pointer to one gate therefore translates to the whole
// field.
function gatePointer(pointer: Pointer, served: AssetHcoFact["apiVersion"]): Pointer {
  const [, , gate] = pointer;
  const isOther = served === "hco.kubevirt.io/v1" || (gate !== undefined && /^[0-9]+$|=/.test(gate));
  return isOther ? pointer.slice(0, 2) : pointer;
}

function startsWith(path: Pointer, start: Pointer): boolean {
  return start.length <= path.length && start.every((segment, at) => segment === path[at]);
}
