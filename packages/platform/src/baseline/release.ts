// Which fields we let go of, and which of them need somebody to hold them so that their values stay.

import { fieldManagers, type Json, type KubeObject } from "@virt/api";
import {
  appliedBy,
  type FieldSet,
  fieldSet,
  hasField,
  isMap,
  keepOnly,
  leafPaths,
  leavesOf,
  type Owner,
  type Path,
  readOwners,
  type ShapeOf,
  valueAt,
  writePath,
} from "@virt/engine";
import { isState, releasedManager } from "../hco-annotations.ts";
import { isEmptyMap, isForeign, isHeldBy } from "./compare.ts";
import type { ObjectState } from "./state.ts";

export type ReleaseInput = {
  readonly live: KubeObject;
  readonly intent: KubeObject;
  readonly state: ObjectState;
  /** Assets that are active now: what they no longer render may go. */
  readonly active: readonly string[];
  /** Assets that are switched off and whose fields go with them. */
  readonly pruned: readonly string[];
  /** Paths that are left out on purpose: ignored, or governed by a plan. */
  readonly masked: readonly Path[];
  readonly shapeOf: ShapeOf;
};

/** What we own and leave out of the intent on purpose, and what of it only we own: somebody must hold that first. */
export type ReleasedFields = { readonly released: readonly Path[]; readonly handOver: readonly Path[] };

export function releaseFields(releasing: ReleaseInput): ReleasedFields {
  const { live, intent, shapeOf } = releasing;
  const owners = readOwners(live);
  const wanted = fieldSet(leafPaths(intent, shapeOf));
  const own = leavesOf(appliedBy(owners, fieldManagers.platform));
  const left = own.filter((path) => !isState(path) && !isIntended(path, wanted, intent));
  const foreign = owners.filter(isForeign);
  return {
    released: left.filter((path) => isMasked(path, releasing)),
    handOver: left.filter(
      (path) => (isMasked(path, releasing) || !isWithdrawn(path, releasing)) && !isOwnedBy(foreign, path),
    ),
  };
}

/** In the intent, or in something that is applied as a whole. A map that is left empty has nothing in it. */
export function isIntended(path: Path, wanted: FieldSet, intent: KubeObject): boolean {
  const isIn = (above: Path) => hasField(wanted, above) && !isEmptyMap(valueAt(intent, above));
  return isHeldBy(wanted, path) || path.some((_, at) => isIn(path.slice(0, at)));
}

function isMasked(path: Path, { masked }: ReleaseInput): boolean {
  return masked.some((one) => one.every((element, at) => element === path[at]));
}

/**
 * An active asset rendered it and does not any more: that is a change of mind, and the field goes. So it does with an
 * asset that is pruned, unless one rendered it, too, that is not active for another reason.
 */
function isWithdrawn(path: Path, { state, active, pruned }: ReleaseInput): boolean {
  const pointer = writePath(path);
  const from = Object.keys(state.fields).filter((asset) => state.fields[asset]?.includes(pointer) === true);
  if (from.some((asset) => active.includes(asset))) return true;
  return from.length > 0 && from.every((asset) => pruned.includes(asset));
}

/** What the holder of released fields applies: all that it holds, and these, with the values that are there. */
export function transferObject(live: KubeObject, paths: readonly Path[]): KubeObject {
  const held = leavesOf(appliedBy(readOwners(live), releasedManager));
  return heldObject(live, [...held, ...paths]);
}

/** Fields that the holder holds though somebody owns them again: it gives them up. Undefined: there are none. */
export function releaseOwnershipObject(live: KubeObject): KubeObject | undefined {
  const owners = readOwners(live);
  const held = leavesOf(appliedBy(owners, releasedManager));
  const others = owners.filter(({ manager, subresource }) => manager !== releasedManager && subresource === undefined);
  const kept = held.filter((path) => !isOwnedBy(others, path));
  return kept.length === held.length ? undefined : heldObject(live, kept);
}

/**
 * That very field. To own something in a map is not to own the map: in free-form parts the server removes a map that
 * nobody owns, with all that others have in it.
 */
function isOwnedBy(owners: readonly Owner[], path: Path): boolean {
  return owners.some(({ fields }) => hasField(fields, path));
}

/** Of a map in which others own something, the map alone. */
function heldObject(live: KubeObject, paths: readonly Path[]): KubeObject {
  const owners = readOwners(live);
  const isShared = (path: Path) =>
    isMap(valueAt(live, path)) && owners.some(({ fields }) => isHeldBy(fields, path) && !isLeaf(fields, path));
  const emptied = paths.filter(isShared).reduce<Json>((object, path) => withEmptyMap(object, path), live);
  return keepOnly(emptied as KubeObject, fieldSet(paths));
}

function isLeaf(fields: FieldSet, path: Path): boolean {
  return leavesOf(fields).some((leaf) => leaf.length === path.length && leaf.every((one, at) => one === path[at]));
}

function withEmptyMap(value: Json, [element, ...rest]: Path): Json {
  if (element === undefined || !isMap(value)) return {};
  const name = element.slice(2);
  return { ...value, [name]: withEmptyMap(value[name] ?? {}, rest) };
}
