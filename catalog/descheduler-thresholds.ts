// The thresholds of another client in the KubeDescheduler. The descheduler operator refuses devDeviationThresholds beside them, and says
// so in its log only, so the plan and the asset leave ours out and name the field and its owner.

import type { Json, JsonMap, KubeObject, Ref } from "@virt/api";
import { asText, at, fieldPath, ownersOf, readOwners } from "@virt/engine";

export const rivalThresholds = "devLowNodeUtilizationThresholds";

type Rival = { readonly value: string; readonly managers: readonly string[] };

const place = ["spec", "profileCustomizations", rivalThresholds];

/**
 * Returns the thresholds of another client. A value without an owner may be a default that the API server adds to its answers, as with the
 * CRD of OpenShift 4.17. If the CRD in force has no such default, the value is stored, for example since the earlier CRD.
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

/** Reports whether the default of a field, or of a map around it, sets the field. */
function hasDefault(schema: Json | undefined, [name, ...rest]: readonly string[]): boolean {
  if (at(schema, "default", ...(name === undefined ? [] : [name, ...rest])) !== undefined) return true;
  return name !== undefined && hasDefault(at(schema, "properties", name), rest);
}

/** Where the warning is shown. */
type WarningContext = {
  readonly target: Ref;
  /** Who leaves our thresholds out, as the subject of the sentence. */
  readonly writer: string;
  /** The steps that bring our thresholds back, before the command. */
  readonly next: string;
};

/** Names the field, its owner, and the command that removes it. */
export function rivalThresholdsWarning({ value, managers }: Rival, { target, writer, next }: WarningContext): string {
  const { kind, name, namespace } = target;
  const field = `spec.profileCustomizations.${rivalThresholds}`;
  const removal = `kubectl patch ${kind.toLowerCase()} ${name} -n ${namespace} --type=json -p '[{"op":"remove","path":"/spec/profileCustomizations/${rivalThresholds}"}]'`;
  const owner = managers.length === 0 ? "owner unknown" : `set by ${managers.join(", ")}`;
  return `${field} is ${JSON.stringify(value)}, ${owner}; the descheduler operator does not accept devDeviationThresholds together with it, so ${writer} omits them. To use them, ${next}: ${removal}`;
}
