import { isMap, type Json } from "./json.ts";

/** Replaces a value that was dropped because of its size. */
export const overLimit = "(over the limit)";

/** Reports whether a value exceeds the limit. Also true for a value that was dropped for its size. */
export function exceedsBytes(value: Json | undefined, most: number): boolean {
  return value === overLimit || bytesLeft(value, most) < 0;
}

function bytesLeft(value: Json | undefined, left: number): number {
  if (typeof value === "string") return left - value.length - 2;
  if (Array.isArray(value)) return (value as readonly Json[]).reduce<number>(takeElement, left - 2);
  if (!isMap(value)) return left - 4;
  let rest = left - 2;
  // Does not list the keys first, so that it stops early even for a megabyte of labels.
  for (const key in value) {
    if (rest < 0) return rest;
    rest = bytesLeft(value[key], rest - key.length - 4);
  }
  return rest;
}

function takeElement(left: number, element: Json): number {
  return left < 0 ? left : bytesLeft(element, left - 1);
}
