// Finds maps that an apply would leave empty. The API server would store null and reject the object, so the operator
// removes their members first.

import { fieldManagers, type JsonMap, type KubeObject } from "@virt/api";
import {
  appliedBy,
  type FieldSet,
  fieldSet,
  hasField,
  leafPaths,
  mayOwn,
  type Owner,
  type Path,
  readOwners,
  type ShapeOf,
  valueAt,
} from "@virt/objects";
import { isEmptyMap } from "./compare.ts";
import { isIntended } from "./release.ts";

export type EmptiedMapsInput = {
  readonly live: KubeObject;
  readonly intent: KubeObject;
  readonly handOver: readonly Path[];
  readonly shapeOf: ShapeOf;
};

/**
 * Returns the members to remove first. An apply removes fields that only the operator owns and no longer applies. If a
 * map becomes empty, but the intent keeps it or another client owns it, the API server stores null.
 */
export function membersOfEmptiedMaps({ live, intent, handOver, shapeOf }: EmptiedMapsInput): readonly Path[] {
  const owners = readOwners(live);
  const [own, others] = [appliedBy(owners, fieldManagers.platform), owners.filter((owner) => !isOwnApply(owner))];
  const intended = leafPaths(intent, shapeOf);
  const [wanted, handed] = [fieldSet(intended), fieldSet(handOver)];
  const isKept = (path: Path) =>
    !hasField(own, path) ||
    hasField(handed, path) ||
    isIntended(path, wanted, intent) ||
    others.some((owner) => hasField(owner.fields, path) || mayOwn(owner, path, live));
  const content = leafPaths(live, shapeOf).filter(([root]) => root !== "f:metadata");
  const [kept, removed] = [content.filter(isKept), content.filter((path) => !isKept(path))];
  const isHeld = (map: Path) =>
    hasField(handed, map) ||
    isEmptyMap(valueAt(intent, map)) ||
    others.some((owner) => hasField(owner.fields, map) || mayOwn(owner, map, live));
  const isEmptied = (map: Path) => ![...kept, ...intended].some((path) => isBelow(path, map));
  const held = removed.flatMap((path) => mapsAround(path).filter(isHeld));
  const members = removed.flatMap((path) => memberToRemove(path, held, isEmptied) ?? []);
  return members.filter((path, at) => members.findIndex((one) => isSamePath(one, path)) === at);
}

/** Returns the largest removable member around a removed field of an emptied map. Ignores parts of list elements. */
function memberToRemove(
  path: Path,
  held: readonly Path[],
  isEmptied: (map: Path) => boolean,
): readonly [Path] | undefined {
  const map = mapsAround(path).find((around) => held.some((one) => isSamePath(one, around)));
  if (map === undefined || !isEmptied(map)) return undefined;
  const parts = path.slice(map.length).map((_, at) => path.slice(0, map.length + at + 1));
  const member = parts.find((part) => !held.some((one) => isSamePath(one, part) || isBelow(one, part)));
  return member?.every((element) => element.startsWith("f:")) === true ? [member] : undefined;
}

function mapsAround(path: Path): readonly Path[] {
  return path
    .slice(1)
    .map((_, at) => path.slice(0, at + 1))
    .toReversed();
}

function isOwnApply({ manager, operation, subresource }: Owner): boolean {
  return manager === fieldManagers.platform && operation === "Apply" && subresource === undefined;
}

function isBelow(path: Path, above: Path): boolean {
  return path.length > above.length && above.every((element, at) => element === path[at]);
}

function isSamePath(left: Path, right: Path): boolean {
  return left.length === right.length && left.every((element, at) => element === right[at]);
}

/** Returns the merge patch that removes these members. */
export function removalPatch(members: readonly Path[]): JsonMap {
  const nullsIn = ({ below }: FieldSet): JsonMap =>
    Object.fromEntries([...below].map(([element, inner]) => [element.slice(2), inner.isOwned ? null : nullsIn(inner)]));
  return nullsIn(fieldSet(members));
}
