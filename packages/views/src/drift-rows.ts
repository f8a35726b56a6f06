// Lists the drift of a plan: changed fields of its targets with their managers, and changed inputs.

import { conditionIs, conditionOf, isApplied } from "@virt/advisor";
import { type Item, type KubeObject, profileManager, type Ref, type Status, type VirtPlatformConfig } from "@virt/api";
import { foreignText } from "@virt/impact";
import { desiredChanges, isSameMeaning, opponentOf, readOwners, showValue, writeDotted } from "@virt/objects";

/** The result of reading a target. `unknown`: the target could not be read. */
export type LiveTarget =
  | { readonly kind: "found"; readonly object: KubeObject }
  | { readonly kind: "absent" }
  | { readonly kind: "unknown"; readonly message: string };

/** A field that differs from the plan. Values are short JSON, or `absent`. */
export type DriftRow = {
  readonly config: string;
  readonly item: string;
  readonly target: Ref;
  /** A dotted path. Empty: the whole object. */
  readonly field: string;
  readonly wanted: string;
  readonly found: string;
  /** The field manager from managedFields. Empty if unknown. */
  readonly manager: string;
  readonly operation?: "Apply" | "Update";
  readonly since?: string;
  /** The advisor's message and the read error. Present only if the target could not be read. */
  readonly message?: string;
};

/** An input that changed after the plan was applied. */
export type MovedInput = {
  readonly config: string;
  readonly name: string;
  readonly applied: string;
  readonly now: string;
};

/** Returns the targets that `driftRows` needs. Empty unless the advisor reports drift. */
export function driftedTargets({ status = {} }: Pick<VirtPlatformConfig, "status">): readonly Ref[] {
  if (!isDrifted(status)) return [];
  return appliedItems(status.items ?? []).map(({ targetRef }) => targetRef);
}

/** Returns the drifted fields of each applied item. Empty unless the advisor reports drift. */
export function driftRows(config: VirtPlatformConfig, live: (ref: Ref) => LiveTarget): readonly DriftRow[] {
  const { metadata, spec, status = {} } = config;
  if (!isDrifted(status)) return [];
  const ours = [profileManager(spec.profile)];
  const since = conditionOf(status, "Drifted")?.lastTransitionTime;
  return appliedItems(status.items ?? []).flatMap((item) => {
    const about = {
      config: metadata.name,
      item: item.name,
      target: item.targetRef,
      ...(since !== undefined && { since }),
    };
    return fieldRows(item, live(item.targetRef), ours).map((row) => ({ ...about, ...row }));
  });
}

/** Reports whether the advisor found drift, in any phase. */
export function isDrifted(status: Status): boolean {
  return conditionIs(status, "Drifted", "True");
}

function appliedItems(items: readonly Item[]): readonly Item[] {
  return items.filter((item) => isApplied(item) || item.state === "Failed");
}

type FieldRow = Pick<DriftRow, "field" | "wanted" | "found" | "manager" | "operation" | "message">;

function fieldRows(
  { operation, desiredState, message }: Item,
  live: LiveTarget,
  ours: readonly string[],
): readonly FieldRow[] {
  const whole = { field: "", manager: "" };
  if (live.kind === "unknown")
    return [{ ...whole, wanted: "?", found: "?", message: foreignText(`${message} (${live.message})`) }];
  if (operation === "Delete" || desiredState === undefined)
    return live.kind === "absent" ? [] : [{ ...whole, wanted: "absent", found: "exists" }];
  if (live.kind === "absent") return [{ ...whole, wanted: "exists", found: "absent" }];
  const owners = readOwners(live.object);
  return desiredChanges(desiredState, live.object)
    .filter((change) => !isSameMeaning(change.desired, change.live, () => true))
    .map(({ path, desired, live: value }) => {
      const opponent = opponentOf(path, { live: owners, answer: owners, ours });
      return {
        field: writeDotted(path),
        wanted: showValue(desired),
        found: showValue(value),
        ...(opponent === "unknown" ? { manager: "" } : opponent),
      };
    });
}

/** Returns the inputs that differ from those of the applied plan. */
export function movedInputs({ metadata, status = {} }: VirtPlatformConfig): readonly MovedInput[] {
  if (conditionOf(status, "InputDependencyDrift")?.status !== "True") return [];
  return (status.inputs ?? []).flatMap(({ name, used, applied }) =>
    applied === undefined || used === undefined || used === applied
      ? []
      : [{ config: metadata.name, name, applied, now: used }],
  );
}
