// Finds the VirtPlatformConfig that governs an object, a field, or a purpose.

import { movedField, movesTo, type Ref } from "@virt/objects";

/** The parts of a VirtPlatformConfig that determine which objects it governs. */
export type GovernorConfig = {
  readonly metadata: { readonly name: string; readonly uid?: string; readonly generation?: number };
  readonly spec: { readonly profile: string; readonly action?: string };
  readonly status?: { readonly executedGeneration?: number; readonly items?: readonly GovernedItem[] };
};

/** Without `managedFields`, the plan governs the whole object. */
export type GovernedItem = {
  readonly targetRef: Ref;
  readonly managedFields?: readonly string[];
  readonly appliedTime?: string;
};

/** Reports whether a config governs: from approval until Ignore or deletion. A preview governs nothing. */
export function isGoverning({ spec, status }: GovernorConfig): boolean {
  return spec.action !== "Ignore" && status?.executedGeneration !== undefined;
}

/** Reports whether the config governed objects earlier but does not now. Uses only the status. */
export function hasGoverned(plan: GovernorConfig): boolean {
  const { executedGeneration, items = [] } = plan.status ?? {};
  const isExecuted = executedGeneration !== undefined || items.some(({ appliedTime }) => appliedTime !== undefined);
  return isExecuted && !isGoverning(plan);
}

/** Returns the name of the config that governs the target. Ignores the version of the target. */
export function governorOf(plans: readonly GovernorConfig[], target: Ref): string | undefined {
  return plans.filter(isGoverning).find((plan) => hasTarget(plan, target))?.metadata.name;
}

/** Returns the governed fields of the target, as dotted paths in its API version. */
export function governedFields(plans: readonly GovernorConfig[], target: Ref): readonly string[] {
  const items = plans.filter(isGoverning).flatMap((plan) => itemsOn(plan, target));
  const fields = items.flatMap(({ targetRef, managedFields = [] }) => {
    const moves = movesTo(target, targetRef.apiVersion);
    return managedFields.map((field) => movedField(field, moves));
  });
  return [...new Set(fields)];
}

/** Returns the name of the config that governs the purpose, regardless of its options. */
export function governorOfPurpose(
  plans: readonly GovernorConfig[],
  purpose: string,
  purposesOf: Purposes,
): string | undefined {
  return plans.filter(isGoverning).find(({ spec }) => purposesOf(spec.profile).includes(purpose))?.metadata.name;
}

/** Returns the purposes of a profile, or an empty list for an unknown profile. */
export type Purposes = (profile: string) => readonly string[];

/** Reports whether the plan has an item for the target, even if the plan does not govern. */
export function hasTarget(plan: GovernorConfig, target: Ref): boolean {
  return itemsOn(plan, target).length > 0;
}

function itemsOn({ status }: GovernorConfig, target: Ref): readonly GovernedItem[] {
  return (status?.items ?? []).filter(({ targetRef }) => identityOf(targetRef) === identityOf(target));
}

function identityOf({ apiVersion, kind, namespace, name }: Ref): string {
  const group = apiVersion.includes("/") ? apiVersion.split("/", 1)[0] : "";
  return JSON.stringify([group, kind, namespace ?? "", name]);
}
