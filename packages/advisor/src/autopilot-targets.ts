// Targets that virt-platform-autopilot manages. While it is active, it reverts every change to a field that it owns.

import { autopilotName, type Item, type KubeObject, type Ref } from "@virt/api";
import { type AutopilotState, isAutopilotObject } from "@virt/cluster";
import { desiredChanges, isSameMeaning, kubectlArguments, ownersOf, readOwners } from "@virt/objects";
import { isWriteOpen } from "./items.ts";
import type { ObservedItem } from "./observed.ts";

/** The state of virt-platform-autopilot. */
export type ObservedAutopilot = {
  readonly state: AutopilotState;
  /** When the state changes without an event, in wall milliseconds. Absent if it does not. */
  readonly dueMs?: number;
};

/** The content that a plan applies to an object. A deletion has none. */
type Applied = { readonly desired: KubeObject | undefined; readonly live: KubeObject | undefined };

/**
 * Reports whether the autopilot would revert the apply: it manages the object and owns a field that would change. It
 * owns no configuration of the HyperConverged.
 */
export function isRevertedByAutopilot({ desired, live }: Applied, autopilot: ObservedAutopilot | undefined): boolean {
  if (autopilot?.state !== "Active" || desired === undefined || live === undefined) return false;
  if (live.kind === "HyperConverged" || !isAutopilotObject(live)) return false;
  const theirs = readOwners(live).filter(({ manager }) => manager === autopilotName);
  const changes = desiredChanges(desired, live).filter((one) => !isSameMeaning(one.desired, one.live, () => true));
  return changes.some(({ path }) => ownersOf(theirs, path).length > 0);
}

/** Returns the targets of the items that are not written yet and that the autopilot would revert. */
export function revertedTargets(items: readonly ObservedItem[]): readonly Ref[] {
  const isUnwritten = (item: Item) => item.changes && (item.state === "Pending" || isWriteOpen(item));
  return items
    .filter(({ item, isReverted }) => isReverted === true && isUnwritten(item))
    .map(({ item }) => item.targetRef);
}

/** Returns the command after which the autopilot leaves the object alone. */
function unmanageCommand(ref: Ref): string {
  return `kubectl annotate ${kubectlArguments(ref)} platform.kubevirt.io/mode=unmanaged`;
}

/** Returns one command line for all targets. */
export function unmanageCommands(refs: readonly Ref[]): string {
  return refs.map(unmanageCommand).join(" && ");
}

/** Returns the warning of an item. */
export function autopilotWarning(ref: Ref): string {
  return `${revertedText([ref])}. Next: ${unmanageCommand(ref)}`;
}

/** Returns why changes to these targets do not last, without a final period. `what` names the changes. */
export function revertedText(refs: readonly Ref[], what = refs.length === 1 ? "this change" : "these changes"): string {
  const names = refs.map(({ kind, name }) => `${kind} '${name}'`).join(" and ");
  return `${names} ${refs.length === 1 ? "is" : "are"} managed by ${autopilotName}, which reverts ${what}`;
}

/** Returns the stored warnings without that of the autopilot, which does not depend on the plan. */
export function otherWarnings({ targetRef, warnings = [] }: Pick<Item, "targetRef" | "warnings">): readonly string[] {
  const own = autopilotWarning(targetRef);
  return warnings.filter((warning) => warning !== own);
}

/** Reports whether the stored item has the warning of the autopilot. */
export function hasAutopilotWarning({ targetRef, warnings = [] }: Pick<Item, "targetRef" | "warnings">): boolean {
  return warnings.includes(autopilotWarning(targetRef));
}

/** Returns the stored items of a plan under review. Their warnings follow the state of the autopilot. */
export function withAutopilotWarnings(items: readonly Item[], observed: readonly ObservedItem[]): readonly Item[] {
  return items.map((item) => {
    const seen = observed.find((one) => one.item.name === item.name);
    return seen === undefined ? item : withAutopilotWarning(item, seen.isReverted === true && item.changes);
  });
}

function withAutopilotWarning(item: Item, isWarned: boolean): Item {
  if (isWarned === hasAutopilotWarning(item)) return item;
  const { warnings: _before, ...rest } = item;
  const warnings = isWarned ? [...otherWarnings(item), autopilotWarning(item.targetRef)] : otherWarnings(item);
  return { ...rest, ...(warnings.length > 0 && { warnings }) };
}
