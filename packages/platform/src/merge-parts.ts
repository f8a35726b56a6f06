import type { Json, JsonMap, KubeObject } from "@virt/api";
import {
  canonicalJson,
  compareUtf8,
  entriesOf,
  equalJson,
  isList,
  isMap,
  member,
  type Shape,
  type ShapeOf,
  writePointer,
} from "@virt/objects";

/** The part of an object that one asset renders. */
export type RenderedPart = { readonly asset: string; readonly object: KubeObject };

/** The merged object, or undefined if no part is left. */
export type MergedParts = {
  readonly object: KubeObject | undefined;
  /** Assets whose complete part is omitted, each with the path of its first conflict. */
  readonly conflicts: readonly PartConflict[];
};

/** An asset that sets a field to a different value than an earlier asset. Its complete part is omitted. */
export type PartConflict = { readonly asset: string; readonly path: string };

/** Merges parts in asset order. If two parts conflict, omits the later one. In all other cases, the order does not matter. */
export function mergeParts(parts: readonly RenderedPart[], shapeOf: ShapeOf): MergedParts {
  let object: JsonMap | undefined;
  const conflicts: PartConflict[] = [];
  for (const { asset, object: part } of parts) {
    const found: string[] = [];
    const merged = object === undefined ? part : mergeMaps(object, part, { names: [], shapeOf, found });
    const [path] = found;
    if (path === undefined) object = merged;
    else conflicts.push({ asset, path });
  }
  return { object: object as KubeObject | undefined, conflicts };
}

type Place = { readonly names: readonly string[]; readonly shapeOf: ShapeOf; readonly found: string[] };

function merge(left: Json, right: Json, place: Place): Json {
  const shape = place.shapeOf(place.names);
  if (isMap(left) && isMap(right) && shape?.kind !== "atomic") return mergeMaps(left, right, place);
  if (isList(left) && isList(right) && shape !== undefined) return mergeLists(left, right, { ...place, shape });
  if (!equalJson(left, right)) place.found.push(writePointer(place.names));
  return left;
}

function mergeMaps(left: JsonMap, right: JsonMap, { names, shapeOf, found }: Place): JsonMap {
  const merged = entriesOf(right).map(([key, value]) => {
    const other = member(left, key);
    return [
      key,
      other === undefined ? value : merge(other, value, { names: [...names, key], shapeOf, found }),
    ] as const;
  });
  return Object.fromEntries([...entriesOf(left), ...merged]);
}

function mergeLists(left: readonly Json[], right: readonly Json[], place: Place & { readonly shape: Shape }): Json {
  const { shape, names, shapeOf, found } = place;
  if (shape.kind === "atomic") {
    if (!equalJson(left, right)) found.push(writePointer(names));
    return left;
  }
  const keyed = new Map(left.map((each) => [keyOf(each, shape), each]));
  for (const each of right) {
    const key = keyOf(each, shape);
    const other = keyed.get(key);
    keyed.set(key, other === undefined ? each : merge(other, each, { names: [...names, "[]"], shapeOf, found }));
  }
  // Sorted, so that the result does not depend on the order of the parts.
  return [...keyed.entries()].toSorted(([one], [two]) => compareUtf8(one, two)).map(([, each]) => each);
}

function keyOf(element: Json, shape: Exclude<Shape, { kind: "atomic" }>): string {
  if (shape.kind === "set") return canonicalJson(element);
  return canonicalJson(shape.keys.map((key) => member(element, key) ?? null));
}
