// What a person wants ignored is left out of what we apply: the ignore-fields annotation.

import type { KubeObject } from "./cluster.ts";
import { isList, isMap, type Json } from "./json.ts";
import { leaveOut } from "./leave-out.ts";
import { fieldElement, keyElement, type Path, segmentOf, valueAt, valueElement } from "./path.ts";
import type { Pointer } from "./pointer.ts";
import { keysOf, type Shape, type ShapeOf } from "./shape.ts";

export type Masked = {
  readonly object: KubeObject;
  readonly released: readonly Path[]; // what was there and is left out, none below another
};

/** A pointer that matches nothing has no effect. A number names a position in the list as it is given. */
export function mask(object: KubeObject, pointers: readonly Pointer[], shapeOf: ShapeOf): Masked {
  const whole: Place = { value: object, path: [], names: [] };
  const found = pointers.flatMap((pointer) => {
    const path = resolve(whole, pointer, shapeOf);
    return path === undefined ? [] : [path];
  });
  const released = found.filter((path, at) => !isCovered(path, at, found));
  return { object: leaveOut(object, released), released };
}

function isCovered(path: Path, at: number, found: readonly Path[]): boolean {
  return found.some((other, place) => {
    const isAbove = other.every((element, depth) => element === path[depth]);
    return place !== at && isAbove && (other.length < path.length || place < at);
  });
}

type Place = { readonly value: Json | undefined; readonly path: Path; readonly names: readonly string[] };

// The path that a pointer means, which for what is atomic is the whole of it.
function resolve(place: Place, [segment, ...rest]: Pointer, shapeOf: ShapeOf): Path | undefined {
  const shape = shapeOf(place.names);
  if (place.value === undefined) return undefined;
  if (segment === undefined || isAtomic(place.value, shape)) return place.path;
  const below = step(place, segment, shape);
  if (below === undefined) return undefined;
  return isKey(rest, shape) ? below.path : resolve(below, rest, shapeOf);
}

// An element without its key would be another element.
function isKey([segment]: Pointer, shape: Shape | undefined): boolean {
  return shape?.kind === "map" && segment !== undefined && shape.keys.includes(segment);
}

function step({ value, path, names }: Place, segment: string, shape: Shape | undefined): Place | undefined {
  const element = isList(value) ? listElement(value, segment, shape) : fieldElement(segment);
  if (element === undefined) return undefined;
  const name = isList(value) ? "[]" : segment;
  return { value: valueAt(value, [element]), path: [...path, element], names: [...names, name] };
}

function isAtomic(value: Json, shape: Shape | undefined): boolean {
  if (isList(value)) return shape === undefined || shape.kind === "atomic";
  return isMap(value) && shape?.kind === "atomic";
}

function listElement(list: readonly Json[], segment: string, shape: Shape | undefined): string | undefined {
  const name = (value: Json) => (shape?.kind === "map" ? keyElement(keysOf(value, shape.keys)) : valueElement(value));
  if (!/^(?:0|[1-9][0-9]{0,8})$/.test(segment)) return list.map(name).find((element) => segmentOf(element) === segment);
  const value = list[Number(segment)];
  return value === undefined ? undefined : name(value);
}
