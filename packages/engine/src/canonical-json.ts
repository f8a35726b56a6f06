// The one text of a JSON value, byte for byte, on which every hash of ours stands.

import { isMap, type Json, type JsonMap } from "./json.ts";
import { compareUtf8 } from "./utf8.ts";

/** No white space; keys in UTF-8 byte order; `<`, `>`, `&` and the two line separators escaped, as Go's encoder does. */
export function canonicalJson(value: Json): string {
  if (isMap(value)) return canonicalMap(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError(`${value} is not a JSON number`);
  return escape(JSON.stringify(value));
}

function canonicalMap(map: JsonMap): string {
  const members = Object.keys(map)
    .toSorted(compareUtf8)
    .flatMap((key) => {
      const value = map[key];
      return value === undefined ? [] : [`${escape(JSON.stringify(key))}:${canonicalJson(value)}`];
    });
  return `{${members.join(",")}}`;
}

function escape(text: string): string {
  return text.replaceAll(/[<>&\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
