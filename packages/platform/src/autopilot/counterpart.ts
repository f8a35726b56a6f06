// The objects that virt-platform-autopilot applies for the same purposes as our assets.

import type { Ref } from "@virt/api";
import type { Asset, PlacedRef } from "../asset.ts";
import { booleanOf } from "../hco-annotations.ts";
import type { AssetHcoFact } from "../hco-fact.ts";

/** Objects of the autopilot, and those of our objects that serve the same purpose. */
export type Counterpart = {
  readonly theirs: readonly (Ref | PlacedRef)[];
  /** Empty: none of our assets serves the purpose. An object may have a role in its name: one entry per role. */
  readonly ours: readonly CounterpartTarget[];
  /** `always`, or the short key of the switch that the autopilot needs, such as `enable-mtv`. */
  readonly appliedWith: string;
  /** `equal`: the same content in every release. `compared`: only a dry run on the live object shows it. */
  readonly content: "equal" | "compared" | "differs";
  /** The default action when a user moves the objects to our operator. */
  readonly adoption: "take over" | "keep";
  /** Replacing theirs by ours reboots the nodes of the pool once. */
  readonly replacementReboots: boolean;
};

/** One of our objects. `asset`: only this asset of the object is meant, otherwise all of them. */
export type CounterpartTarget = Pick<Ref, "kind" | "name"> & { readonly asset?: string };

/** Returns the counterparts of an asset, in the order of the table. */
export function counterpartsOf(
  { name, target }: Pick<Asset, "name" | "target">,
  table: readonly Counterpart[],
): readonly Counterpart[] {
  return table.filter(({ ours }) =>
    ours.some(
      (one) => one.kind === target.kind && one.name === target.name && (one.asset === undefined || one.asset === name),
    ),
  );
}

/** Returns the objects of the autopilot that serve the purpose of an asset under another name. */
export function counterpartAlternates(
  { target }: Pick<Asset, "target">,
  counterparts: readonly Counterpart[],
): readonly (Ref | PlacedRef)[] {
  const isSame = (ref: Ref | PlacedRef) => ref.kind === target.kind && ref.name === target.name;
  return counterparts.flatMap(({ theirs }) => theirs.filter((ref) => !isSame(ref)));
}

/** Reports whether an active autopilot applies its objects: always, or because its switch is `true`. */
export function isCounterpartApplied(
  { appliedWith }: Counterpart,
  { annotations }: Pick<AssetHcoFact, "annotations">,
): boolean {
  return appliedWith === "always" || booleanOf(annotations, appliedWith) === true;
}
