// Which VirtPlatformConfig is in charge of an object, of some of its fields, or of a purpose. The platform yields to it.

import type { Ref } from "./cluster.ts";
import { movedField, movesTo } from "./fields/moved-fields.ts";

/** As much of a VirtPlatformConfig as the question needs. */
export type GovernorConfig = {
  readonly metadata: { readonly name: string; readonly uid?: string; readonly generation?: number };
  readonly spec: { readonly profile: string; readonly action?: string };
  readonly status?: { readonly executedGeneration?: number; readonly items?: readonly GovernedItem[] };
};

/** One object of a plan; without `managedFields` all of it. */
export type GovernedItem = {
  readonly targetRef: Ref;
  readonly managedFields?: readonly string[];
  readonly appliedTime?: string;
};

/** From approval on, until Ignore or deletion. A preview governs nothing. */
export function isGoverning({ spec, status }: GovernorConfig): boolean {
  return spec.action !== "Ignore" && status?.executedGeneration !== undefined;
}

/** Its status shows that a plan of it was approved, and it governs no more, whether or not anybody watched it do so. */
export function hasGoverned(plan: GovernorConfig): boolean {
  const { executedGeneration, items = [] } = plan.status ?? {};
  const isExecuted = executedGeneration !== undefined || items.some(({ appliedTime }) => appliedTime !== undefined);
  return isExecuted && !isGoverning(plan);
}

/** The name of the config in charge of an object, by group, kind, namespace and name: the version does not matter. */
export function governorOf(plans: readonly GovernorConfig[], target: Ref): string | undefined {
  return plans.filter(isGoverning).find((plan) => hasTarget(plan, target))?.metadata.name;
}

/** The fields (dotted) of an object that configs are in charge of, as the target's version has them, for an object that is yielded field by field. */
export function governedFields(plans: readonly GovernorConfig[], target: Ref): readonly string[] {
  const items = plans.filter(isGoverning).flatMap((plan) => itemsOn(plan, target));
  const fields = items.flatMap(({ targetRef, managedFields = [] }) => {
    const moves = movesTo(target, targetRef.apiVersion);
    return managedFields.map((field) => movedField(field, moves));
  });
  return [...new Set(fields)];
}

/** The name of the config in charge of a purpose, whatever its options say. */
export function governorOfPurpose(
  plans: readonly GovernorConfig[],
  purpose: string,
  purposesOf: Purposes,
): string | undefined {
  return plans.filter(isGoverning).find(({ spec }) => purposesOf(spec.profile).includes(purpose))?.metadata.name;
}

/** The purposes of a profile; none for one that is not known. */
export type Purposes = (profile: string) => readonly string[];

/** Whether its plan is about an object, governing or not. */
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
