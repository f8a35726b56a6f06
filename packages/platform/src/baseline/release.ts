// Finds fields to release, and fields that need another owner to keep their values.

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
} from "@virt/objects";
import { isOwnLabel, isState, releasedManager } from "../hco-annotations.ts";
import { isEmptyMap, isForeign, isHeldBy } from "./compare.ts";
import type { ObjectState } from "./state.ts";

export type ReleaseInput = {
  readonly live: KubeObject;
  readonly intent: KubeObject;
  readonly state: ObjectState;
  readonly active: readonly string[];
  readonly pruned: readonly string[];
  /** Paths that are omitted on purpose: the user ignores them or a plan governs them. */
  readonly masked: readonly Path[];
  readonly shapeOf: ShapeOf;
};

/**
 * `released` are fields that are omitted on purpose. `handOver` are fields that keep their values, but need another
 * owner first.
 */
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
      (path) =>
        !isOwnLabel(path) && (isMasked(path, releasing) || !isWithdrawn(path, releasing)) && !isOwnedBy(foreign, path),
    ),
  };
}

/** Reports whether the intent contains the path or applies a parent as a whole. An empty map contains nothing. */
export function isIntended(path: Path, wanted: FieldSet, intent: KubeObject): boolean {
  const isIn = (above: Path) => hasField(wanted, above) && !isEmptyMap(valueAt(intent, above));
  return isHeldBy(wanted, path) || path.some((_, at) => isIn(path.slice(0, at)));
}

function isMasked(path: Path, { masked }: ReleaseInput): boolean {
  return masked.some((one) => one.every((element, at) => element === path[at]));
}

/** Reports whether to remove the field: an active asset stopped rendering it, or all that rendered it are pruned. */
function isWithdrawn(path: Path, { state, active, pruned }: ReleaseInput): boolean {
  const pointer = writePath(path);
  const from = Object.keys(state.fields).filter((asset) => state.fields[asset]?.includes(pointer) === true);
  if (from.some((asset) => active.includes(asset))) return true;
  return from.length > 0 && from.every((asset) => pruned.includes(asset));
}

/** Returns the object for the manager of released fields: its fields plus these paths, with live values. */
export function transferObject(live: KubeObject, paths: readonly Path[]): KubeObject {
  const held = leavesOf(appliedBy(readOwners(live), releasedManager));
  return heldObject(live, [...held, ...paths]);
}

/** Returns the object that gives up released fields that have another owner again. Undefined without such fields. */
export function releaseOwnershipObject(live: KubeObject): KubeObject | undefined {
  const owners = readOwners(live);
  const held = leavesOf(appliedBy(owners, releasedManager));
  const others = owners.filter(({ manager, subresource }) => manager !== releasedManager && subresource === undefined);
  const kept = held.filter((path) => !isOwnedBy(others, path));
  return kept.length === held.length ? undefined : heldObject(live, kept);
}

/**
 * Reports whether an owner has this exact field. Owning a member is not enough: in free-form parts, the server removes
 * a map without an owner and all its members.
 */
function isOwnedBy(owners: readonly Owner[], path: Path): boolean {
  return owners.some(({ fields }) => hasField(fields, path));
}

/** Returns the live values of these paths. If other owners have members of a map, returns the map without members. */
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
