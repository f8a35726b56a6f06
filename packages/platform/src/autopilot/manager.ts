// Decides which objects the operator leaves to virt-platform-autopilot while that is active.

import { autopilotName, type KubeObject } from "@virt/api";
import { type AutopilotMemory, type AutopilotState, isAutopilotObject } from "@virt/cluster";
import { leafPaths, type Path, type ShapeOf, writeTime } from "@virt/objects";
import type { Asset } from "../asset.ts";
import { holdersOf } from "../baseline/compare.ts";
import type { AssetHcoFact } from "../hco-fact.ts";
import { type Counterpart, isCounterpartApplied } from "./counterpart.ts";

/** The autopilot as facts, reports and commands show it. */
export type AutopilotFact = {
  readonly state: AutopilotState;
  /** The start of the state, or the time at which the process first saw it. */
  readonly since: string;
  readonly namespace: string;
};

/** Returns the fact for a state that was followed over time. */
export function autopilotFactOf({ state, sinceMs }: AutopilotMemory, namespace: string): AutopilotFact {
  return { state, since: writeTime(sinceMs), namespace };
}

/** Reports whether the autopilot is active and manages the object. */
export function isLeftToAutopilot(live: KubeObject | undefined, { state }: Pick<AutopilotFact, "state">): boolean {
  return state === "Active" && live !== undefined && isAutopilotObject(live);
}

/** Returns the counterpart because of which an absent object is not created. Undefined if it may be created. */
export function claimOn(
  { counterparts = [], create }: Pick<Asset, "counterparts" | "create">,
  hco: Pick<AssetHcoFact, "annotations">,
  { state }: Pick<AutopilotFact, "state">,
): Counterpart | undefined {
  if (state !== "Active" || create === false) return undefined;
  return counterparts.find((one) => isCounterpartApplied(one, hco));
}

/** Returns the leaf fields of `wanted` that the autopilot's field manager owns on the live object. */
export function autopilotFields(wanted: KubeObject, live: KubeObject, shapeOf: ShapeOf): readonly Path[] {
  return leafPaths(wanted, shapeOf).filter((path) =>
    holdersOf(live, path).some(({ manager }) => manager === autopilotName),
  );
}
