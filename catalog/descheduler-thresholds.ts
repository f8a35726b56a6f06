// Handles thresholds that another client set in the KubeDescheduler. The descheduler operator does not accept
// devDeviationThresholds together with them, and reports this only in its log. The plan and the asset therefore omit
// devDeviationThresholds, and name the other client in a warning.

import type { Json, JsonMap, KubeObject, Ref } from "@virt/api";
import { asText, at, fieldPath, ownersOf, readOwners } from "@virt/objects";

export const rivalThresholds = "devLowNodeUtilizationThresholds";

type Rival = { readonly value: string; readonly managers: readonly string[] };

const place = ["spec", "profileCustomizations", rivalThresholds];

/**
 * Returns the thresholds that another client set. Thresholds without an owner may be a default that the API server
 * adds, as with the CRD of OpenShift 4.17. They count only if the current CRD has no such default, because they are
 * then stored in the object.
 */
export function rivalThresholdsOf({ descheduler, deschedulerSchema }: ThresholdsFacts): Rival | undefined {
  const value = asText(at(descheduler, ...place));
  if (descheduler === undefined || value === undefined) return undefined;
  const managers = [...new Set(ownersOf(readOwners(descheduler), fieldPath(...place)).map(({ manager }) => manager))];
  const isStored = managers.length > 0 || (deschedulerSchema !== undefined && !hasDefault(deschedulerSchema, place));
  return isStored ? { value, managers } : undefined;
}

type ThresholdsFacts = {
  readonly descheduler: KubeObject | undefined;
  readonly deschedulerSchema: JsonMap | undefined;
};

/** Reports whether the default of the field, or of a parent map, sets the field. */
function hasDefault(schema: Json | undefined, [name, ...rest]: readonly string[]): boolean {
  if (at(schema, "default", ...(name === undefined ? [] : [name, ...rest])) !== undefined) return true;
  return name !== undefined && hasDefault(at(schema, "properties", name), rest);
}

type WarningContext = {
  readonly target: Ref;
  /** The plan or asset that omits its thresholds, as the subject of the warning. */
  readonly writer: string;
  readonly next: string;
};

/** Returns the warning, with the field, its owner, and the command that removes it. */
export function rivalThresholdsWarning({ value, managers }: Rival, { target, writer, next }: WarningContext): string {
  const { kind, name, namespace } = target;
  const field = `spec.profileCustomizations.${rivalThresholds}`;
  const removal = `kubectl patch ${kind.toLowerCase()} ${name} -n ${namespace} --type=json -p '[{"op":"remove","path":"/spec/profileCustomizations/${rivalThresholds}"}]'`;
  const owner = managers.length === 0 ? "owner unknown" : `set by ${managers.join(", ")}`;
  return `${field} is ${JSON.stringify(value)}, ${owner}; the descheduler operator does not accept devDeviationThresholds together with it, so ${writer} omits them. To use them, ${next}: ${removal}`;
}
