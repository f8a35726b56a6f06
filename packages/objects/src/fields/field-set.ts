// Sets of fields as in metadata.managedFields (fieldsV1).

import { entriesOf, isMap, type Json } from "../json/json.ts";
import { oncePer } from "../memoize.ts";
import { type Path, readElement } from "./path.ts";

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
