// Renders the plan of a profile, finds reasons why planning is impossible, and compares plans across operator versions.

import { type Item, type JsonMap, profileManager } from "@virt/api";
import { desiredChanges, equalJson, isMadeBy, type Json } from "@virt/objects";
import type { ReconcileFacts } from "./facts.ts";
import type { Observed } from "./observed.ts";
import type { CrdRequirement, PlanInput, PlannedItem, Profile } from "./profile.ts";
import type { ProfileHcoFact } from "./reads.ts";

/** Returns the user's options for the profile, or undefined if none are set. */
export function optionsOf({ optionsKey }: Profile, { config }: Pick<ReconcileFacts, "config">): JsonMap | undefined {
  return optionsKey === undefined ? undefined : config.spec.options?.[optionsKey];
}

/** Returns the profile's items, before they are compared with the cluster. Empty if the profile is unknown. */
export function plannedItems(facts: ReconcileFacts): readonly PlannedItem[] {
  return facts.profile?.plan(optionsOf(facts.profile, facts), facts.facts) ?? [];
}

export function plannedInputs(facts: ReconcileFacts): readonly PlanInput[] {
  return facts.profile?.inputs(optionsOf(facts.profile, facts), facts.facts) ?? [];
}

/** Returns why planning is impossible: because of the profile, a CRD, the options or a missing namespace. */
export function findBlocker(facts: ReconcileFacts): Observed["blocked"] {
  const { profile, config, isServed, missingNamespace } = facts;
  if (profile === undefined) return withoutProfile(config.spec.profile, facts.isProfileDisabled === true);
  const options = optionsOf(profile, facts);
  const missing = profile.needs(options).filter((need) => !isServed(need));
  if (missing.length > 0) return { kind: "missing", message: missingText(missing) };
  const ambiguity = ambiguityOf(profile, facts);
  if (ambiguity !== undefined) return { kind: "other", message: ambiguity };
  const refusal = profile.refuse(options, facts.facts);
  if (refusal?.kind === "missing") return { kind: "other", message: missingText([refusal.need]) };
  if (refusal?.kind === "absent") return { kind: "missing", message: refusal.message, next: refusal.next };
  if (refusal?.kind === "invalid") return { kind: "other", message: `Invalid config: ${refusal.message}` };
  if (refusal?.kind === "unfit") return { kind: "other", message: refusal.message, next: refusal.next };
  return missingNamespace === undefined
    ? undefined
    : { kind: "other", message: missingNamespaceText(missingNamespace) };
}

/** Blocks the config. Without the profile, its targets are not watched, and the operator may lack permission to read them. */
function withoutProfile(name: string, isDisabled: boolean): Observed["blocked"] {
  if (!isDisabled) return { kind: "missing", message: `Profile not found: profile "${name}" not found` };
  return {
    kind: "missing",
    message: `Profile disabled: to use profile "${name}", start the operator with --example-profile`,
    next: "install config/example-profile, which adds the flag and its permissions, or delete this VirtPlatformConfig",
  };
}

/**
 * Returns an error if the HyperConverged is ambiguous. Existing plans are not affected, because they record their
 * HyperConverged.
 */
function ambiguityOf({ reads }: Profile, { facts }: ReconcileFacts): string | undefined {
  const [name] = Object.entries(reads).find(([, { read }]) => read === "hco") ?? [];
  return name === undefined ? undefined : (facts[name] as ProfileHcoFact).ambiguity;
}

/** Returns the message about a missing namespace, without a final period. */
export function missingNamespaceText(namespace: string): string {
  return `Namespace '${namespace}' does not exist`;
}

function missingText(needs: readonly CrdRequirement[]): string {
  const lines = needs.map(({ kind, shown, remedy }) => `  - ${kind} (${shown}): ${remedy}\n`);
  return ["Missing required dependencies:\n", ...lines].join("");
}

/**
 * Compares the stored plan with this version's plan, without parts that depend on live objects. Returns undefined if
 * the operator version is the same.
 */
export function compareUpgrade(facts: ReconcileFacts): Observed["upgrade"] {
  const { operatorVersion, items = [], phase } = facts.config.status ?? {};
  const isGuarded = phase === "Completed" || phase === "CompletedWithUpgrade";
  if (!isGuarded || !operatorVersion || operatorVersion === facts.operator.version) return undefined;
  const planned = plannedItems(facts).filter((item) => isPlanned(item, facts));
  const stored = items.filter(({ operation }) => operation === "Apply");
  const isSame = equalJson(stored.map(meaningOfStored), planned.map(meaningOfPlanned));
  if (isSame) return "same";
  return planned.every((item) => isInPlace(item, facts)) ? "aligned" : "differs";
}

/** Reports whether the item is part of a plan. A deletion is only if the advisor owns fields of the object. */
function isPlanned(item: PlannedItem, { config, live }: ReconcileFacts): boolean {
  if (item.operation === "Apply") return true;
  const object = live(item.target);
  return object !== undefined && isMadeBy(object, profileManager(config.spec.profile), item.managedFields);
}

function isInPlace(item: PlannedItem, { live }: ReconcileFacts): boolean {
  if (item.operation === "Delete") return false;
  if (item.isSkipped === true) return true;
  const object = live(item.target);
  return object !== undefined && desiredChanges(item.desired, object).length === 0;
}

function meaningOfStored({ name, targetRef, desiredState, managedFields = [] }: Item): Json {
  return { name, target: { ...targetRef }, operation: "Apply", desired: desiredState ?? null, managedFields };
}

function meaningOfPlanned(item: PlannedItem): JsonMap {
  const { name, target, operation, managedFields } = item;
  const desired = item.operation === "Apply" ? item.desired : null;
  return { name, target: { ...target }, operation, desired, managedFields };
}
