// The thresholds of another client in the KubeDescheduler. The descheduler operator refuses devDeviationThresholds beside them, and says
// so in its log only, so the plan leaves ours out and names the field and its owner.

import { asText, at, fieldPath, ownersOf, readOwners } from "@virt/engine";
import { deschedulerRef, type LoadAwareFacts } from "./facts.ts";

export const rivalThresholds = "devLowNodeUtilizationThresholds";

type Rival = { readonly value: string; readonly managers: readonly string[] };

/** Returns the thresholds that a field manager owns. A value without an owner is a default of the CRD of OpenShift 4.17. */
export function rivalThresholdsOf({ descheduler }: Pick<LoadAwareFacts, "descheduler">): Rival | undefined {
  const value = asText(at(descheduler, "spec", "profileCustomizations", rivalThresholds));
  if (descheduler === undefined || value === undefined) return undefined;
  const path = fieldPath("spec", "profileCustomizations", rivalThresholds);
  const managers = [...new Set(ownersOf(readOwners(descheduler), path).map(({ manager }) => manager))];
  return managers.length === 0 ? undefined : { value, managers };
}

export function rivalThresholdsWarning({ value, managers }: Rival): string {
  const { kind, name, namespace } = deschedulerRef;
  const field = `spec.profileCustomizations.${rivalThresholds}`;
  const removal = `kubectl patch ${kind.toLowerCase()} ${name} -n ${namespace} --type=json -p '[{"op":"remove","path":"/spec/profileCustomizations/${rivalThresholds}"}]'`;
  return `${field} is ${JSON.stringify(value)}, set by ${managers.join(", ")}; the descheduler operator does not accept devDeviationThresholds together with it, so this plan omits them. To use them, remove the field and review the new plan: ${removal}`;
}
