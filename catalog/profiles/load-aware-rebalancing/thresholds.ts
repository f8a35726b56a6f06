// The thresholds of another client in the KubeDescheduler. The descheduler operator refuses devDeviationThresholds beside them, and says
// so in its log only, so the plan leaves ours out and names the field and its owner.

import type { Json } from "@virt/api";
import { asText, at, fieldPath, ownersOf, readOwners } from "@virt/engine";
import { deschedulerRef, type LoadAwareFacts } from "./facts.ts";

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

type ThresholdsFacts = Pick<LoadAwareFacts, "descheduler" | "deschedulerSchema">;

/** Reports whether the default of a field, or of a map around it, sets the field. */
function hasDefault(schema: Json | undefined, [name, ...rest]: readonly string[]): boolean {
  if (at(schema, "default", ...(name === undefined ? [] : [name, ...rest])) !== undefined) return true;
  return name !== undefined && hasDefault(at(schema, "properties", name), rest);
}

export function rivalThresholdsWarning({ value, managers }: Rival): string {
  const { kind, name, namespace } = deschedulerRef;
  const field = `spec.profileCustomizations.${rivalThresholds}`;
  const removal = `kubectl patch ${kind.toLowerCase()} ${name} -n ${namespace} --type=json -p '[{"op":"remove","path":"/spec/profileCustomizations/${rivalThresholds}"}]'`;
  const owner = managers.length === 0 ? "owner unknown" : `set by ${managers.join(", ")}`;
  return `${field} is ${JSON.stringify(value)}, ${owner}; the descheduler operator does not accept devDeviationThresholds together with it, so this plan omits them. To use them, remove the field and review the new plan: ${removal}`;
}
