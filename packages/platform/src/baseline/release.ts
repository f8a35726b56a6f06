// Which fields we let go of, and which of them need somebody to hold them so that their values stay.

import { fieldManagers, type KubeObject } from "@virt/api";
import {
  appliedBy,
  fieldSet,
  keepOnly,
  leafPaths,
  leavesOf,
  type Owner,
  ownersOf,
  type Path,
  readOwners,
  type ShapeOf,
  touchesField,
  uniteFields,
  writePath,
} from "@virt/engine";
import { isState, releasedManager } from "./names.ts";
import type { State } from "./state.ts";

export type Releasing = {
  readonly live: KubeObject;
  readonly intent: KubeObject;
  readonly state: State;
  /** Assets that are active now: what they no longer render may go. */
  readonly active: readonly string[];
  /** Paths that are left out on purpose: ignored, or governed by a plan. */
  readonly masked: readonly Path[];
  readonly shapeOf: ShapeOf;
};

/** What we own alone and shall not lose: it needs a hand-over before our apply leaves it out. */
export function handedOver(releasing: Releasing): readonly Path[] {
  const owners = readOwners(releasing.live);
  const own = appliedBy(owners, fieldManagers.platform);
  const wanted = fieldSet(leafPaths(releasing.intent, releasing.shapeOf));
  const left = leavesOf(own).filter((path) => !touchesField(wanted, path) && !isState(path));
  const kept = left.filter((path) => isMasked(path, releasing) || !isWithdrawn(path, releasing));
  return kept.filter((path) => !ownersOf(owners, path).some(isForeign));
}

function isForeign({ manager, subresource }: Owner): boolean {
  return subresource === undefined && manager !== fieldManagers.platform && manager !== releasedManager;
}

function isMasked(path: Path, { masked }: Releasing): boolean {
  return masked.some((one) => one.every((element, at) => element === path[at]));
}

/** An active asset rendered it and does not any more: that is a change of mind, and the field goes. */
function isWithdrawn(path: Path, { state, active }: Releasing): boolean {
  const pointer = writePath(path);
  return active.some((asset) => state.fields[asset]?.includes(pointer) === true);
}

/** What the holder of released fields applies: all that it holds, and these, with the values that are there. */
export function handOverObject(live: KubeObject, paths: readonly Path[]): KubeObject {
  const held = appliedBy(readOwners(live), releasedManager);
  return keepOnly(live, uniteFields(held, fieldSet(paths)));
}

/** Fields that the holder holds though somebody owns them again: it gives them up. Undefined: there are none. */
export function giveUpObject(live: KubeObject): KubeObject | undefined {
  const owners = readOwners(live);
  const held = leavesOf(appliedBy(owners, releasedManager));
  const others = owners.filter(({ manager, subresource }) => manager !== releasedManager && subresource === undefined);
  const kept = held.filter((path) => ownersOf(others, path).length === 0);
  return kept.length === held.length ? undefined : keepOnly(live, fieldSet(kept));
}
