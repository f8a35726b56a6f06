// Sets of fields as in metadata.managedFields (fieldsV1), and their translation between two versions of a kind.

import type { KubeObject } from "@virt/api";
import { entriesOf, isMap, type Json, oncePer } from "../json/json.ts";
import { fieldElement, type Path, type Pointer, readElement, valueAt } from "./path.ts";

/** A tree of path elements. The root is never owned. */
export type FieldSet = { readonly isOwned: boolean; readonly below: ReadonlyMap<string, FieldSet> };

/** The empty set. */
export const noFields: FieldSet = { isOwned: false, below: new Map() };

// The depth limit of the API server. Deeper trees are cut off.
const deepest = 1000;

/**
 * Parses fieldsV1. A field that cannot be parsed counts as owned, because a false conflict is better than taking over a
 * field.
 */
export function readFieldsV1(fields: Json | undefined): FieldSet {
  return { ...readNode(fields, 0), isOwned: false };
}

function readNode(fields: Json | undefined, depth: number): FieldSet {
  const entries = isMap(fields) && depth < deepest ? entriesOf(fields) : [];
  const below = new Map<string, FieldSet>();
  for (const [text, inner] of entries) {
    const element = readElement(text);
    if (element !== undefined) below.set(element, readNode(inner, depth + 1));
  }
  // `.` stands for the field itself and is not an element.
  return { isOwned: entries.length === 0 || below.size < entries.length, below };
}

type Growing = { isOwned: boolean; readonly below: Map<string, Growing> };

/** Returns the set of exactly these fields, without their parents. */
export function fieldSet(paths: Iterable<Path>): FieldSet {
  const root: Growing = { isOwned: false, below: new Map() };
  for (const path of paths) path.reduce(grown, root).isOwned = true;
  return root;
}

function grown({ below }: Growing, element: string): Growing {
  const known = below.get(element);
  if (known !== undefined) return known;
  const made: Growing = { isOwned: false, below: new Map() };
  below.set(element, made);
  return made;
}

function node(isOwned: boolean, below: Iterable<readonly [string, FieldSet]>): FieldSet {
  return { isOwned, below: new Map(below) };
}

/** Reports whether the field is in the set, regardless of its parents and children. */
export function hasField(set: FieldSet, path: Path): boolean {
  return find(set, path)?.isOwned === true;
}

/** Reports whether the path, a parent or a child is in the set. */
export function touchesField(set: FieldSet, path: Path): boolean {
  const isParent = path.some((_, at) => hasField(set, path.slice(0, at)));
  return isParent || find(set, path) !== undefined;
}

function find(set: FieldSet, path: Path): FieldSet | undefined {
  return path.reduce<FieldSet | undefined>((at, element) => at?.below.get(element), set);
}

/** Returns all paths, with parents before children. */
export function pathsOf(set: FieldSet): readonly Path[] {
  return walk(set, [], ({ isOwned }) => isOwned);
}

/** Returns the paths without children, which are owned as a whole. */
export const leavesOf: (set: FieldSet) => readonly Path[] = oncePer((set) =>
  walk(set, [], ({ below }) => below.size === 0),
);

function walk(set: FieldSet, above: Path, isWanted: (node: FieldSet) => boolean): readonly Path[] {
  const here = above.length > 0 && isWanted(set) ? [above] : [];
  return [...here, ...[...set.below].flatMap(([element, inner]) => walk(inner, [...above, element], isWanted))];
}

/** Returns the fields of either set. Shares subtrees with both. */
export function uniteFields(left: FieldSet, right: FieldSet): FieldSet {
  const below = new Map(left.below);
  for (const [element, inner] of right.below) {
    const known = below.get(element);
    below.set(element, known === undefined ? inner : uniteFields(known, inner));
  }
  return { isOwned: left.isOwned || right.isOwned, below };
}

/** Returns the fields of `left` that `right` does not contain itself. Children of a field in `right` are kept. */
export function subtractFields(left: FieldSet, right: FieldSet): FieldSet {
  const below = [...left.below].flatMap(([element, inner]) => {
    const other = right.below.get(element);
    const rest = other === undefined ? inner : subtractFields(inner, other);
    return rest.isOwned || rest.below.size > 0 ? [[element, rest] as const] : [];
  });
  return node(left.isOwned && !right.isOwned, below);
}

/** Reports whether the set is empty. */
export function isNoFields(set: FieldSet): boolean {
  return !set.isOwned && set.below.size === 0;
}

/** Everything at and below `from` moves to `to`. Undefined: no part can be mapped to the other version. */
export type FieldMove = { readonly from: Pointer; readonly to: Pointer | undefined };

type VersionedKind = Pick<KubeObject, "apiVersion" | "kind">;

/** Paths below `spec` in v1beta1 and v1. Nested fields come before their parents. */
const hyperConverged: readonly (readonly [Pointer, Pointer])[] = [
  [["enableApplicationAwareQuota"], ["deployment", "applicationAwareConfig", "enable"]],
  [["applicationAwareConfig"], ["deployment", "applicationAwareConfig"]],
  [["uninstallStrategy"], ["deployment", "uninstallStrategy"]],
  [["certConfig"], ["security", "certConfig"]],
  ...[
    "liveMigrationConfig",
    "ksmConfiguration",
    "permittedHostDevices",
    "workloadUpdateStrategy",
    "evictionStrategy",
    "higherWorkloadDensity",
  ].map((field) => [[field], ["virtualization", field]] as const),
];

// A map in v1beta1, an atomic list in v1.
const gates: FieldMove = { from: ["spec", "featureGates"], to: undefined };
const below = (from: Pointer, to: Pointer): FieldMove => ({ from: ["spec", ...from], to: ["spec", ...to] });
const [old, fresh] = ["hco.kubevirt.io/v1beta1", "hco.kubevirt.io/v1"];
const kind = "HyperConverged";
const known = [
  { kind, from: old, to: fresh, moves: [gates, ...hyperConverged.map(([before, now]) => below(before, now))] },
  { kind, from: fresh, to: old, moves: [gates, ...hyperConverged.map(([before, now]) => below(now, before))] },
];

/** Returns the moves to the object's version, from the given version or any. */
export function movesTo({ apiVersion, kind }: VersionedKind, from?: string): readonly FieldMove[] {
  const one = known.find((each) => each.kind === kind && each.to === apiVersion && each.from === (from ?? each.from));
  return one?.moves ?? [];
}

/** `unplaced` fields have no known place in the object's version. */
export type PlacedFields = { readonly fields: FieldSet; readonly unplaced?: FieldSet };

export function placeFields(fields: FieldSet, object: KubeObject, moves: readonly FieldMove[]): PlacedFields {
  const paths = pathsOf(fields).map((path) => ({ path, place: placeOf(path, object, moves) }));
  const unplaced = fieldSet(paths.flatMap(({ path, place }) => (place === "unknown" ? [path] : [])));
  const placed = fieldSet(paths.flatMap(({ place }) => (typeof place === "string" ? [] : [place])));
  return { fields: placed, ...(!isNoFields(unplaced) && { unplaced }) };
}

/**
 * Returns where a field is in this version. Metadata is the same in all versions. A field with a value is in place. A
 * map whose content moved is gone. All others have moved.
 */
function placeOf(path: Path, object: KubeObject, moves: readonly FieldMove[]): Path | "unknown" | "nowhere" {
  const move = moves.find(({ from }) => startsWith(path, from));
  if (move !== undefined)
    return move.to === undefined ? "unknown" : [...move.to.map(fieldElement), ...path.slice(move.from.length)];
  if (path[0] === "f:metadata" || valueAt(object, path) !== undefined) return path;
  return moves.some(({ from }) => startsWith(from.map(fieldElement), path.map(nameOf))) ? "nowhere" : "unknown";
}

/** Reports whether the field is known to come from another place. */
export function isPlaceKnown(path: Path, moves: readonly FieldMove[]): boolean {
  return moves.some(({ to }) => to !== undefined && startsWith(path, to));
}

/** Returns the dotted field in the other version. A field without a place stays unchanged and has no effect. */
export function movedField(field: string, moves: readonly FieldMove[]): string {
  const names = field.split(".");
  const move = moves.find(({ from }) => startsWith(names.map(fieldElement), from));
  return move?.to === undefined ? field : [...move.to, ...names.slice(move.from.length)].join(".");
}

function startsWith(path: Path, names: Pointer): boolean {
  return names.length <= path.length && names.every((name, at) => path[at] === fieldElement(name));
}

function nameOf(element: string): string {
  return element.slice(2); // moves name only members, so a list element matches none of them
}
