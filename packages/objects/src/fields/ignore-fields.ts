// Reads the ignore-fields annotation, which lists fields that the operator must not manage.

import { utf8Length } from "../encoding/bytes.ts";
import { isList, parseJson } from "../json/json.ts";
import { isOverridable } from "../patch/patch-text.ts";
import { type Pointer, readPointer } from "./path.ts";

/** The pointers of the ignore-fields annotation, or the reason why it is invalid. */
export type IgnoreFields =
  | { readonly kind: "pointers"; readonly pointers: readonly Pointer[] }
  | { readonly kind: "refused"; readonly reason: string };

const limits = { bytes: 16_384, pointers: 100 };

/**
 * Accepts a JSON array or a comma-separated list. A single invalid pointer makes the whole list invalid, because the
 * user wants all of the fields to be ignored.
 */
export function readIgnoreFields(annotation: string): IgnoreFields {
  const bytes = utf8Length(annotation);
  if (bytes > limits.bytes) return exceeded("bytes", bytes, limits.bytes);
  const texts = annotation.trimStart().startsWith("[") ? fromArray(annotation) : fromList(annotation);
  if (texts === undefined) return refused("not a JSON array of strings");
  if (texts.length > limits.pointers) return exceeded("pointers", texts.length, limits.pointers);
  const read = texts.map(readOne);
  const bad = read.find((each) => typeof each === "string");
  return bad === undefined
    ? { kind: "pointers", pointers: read.filter((each) => typeof each !== "string") }
    : refused(bad);
}

function readOne(text: string): Pointer | string {
  const read = readPointer(text);
  if (read.kind === "no-slash" || text === "") return `JSON pointer must start with /: ${text}`;
  if (read.kind === "bad-escape") return `pointer "${text}": invalid escape`;
  return isOverridable(read.pointer) ? read.pointer : `pointer "${text}" is forbidden`;
}

function refused(reason: string): IgnoreFields {
  return { kind: "refused", reason };
}

function exceeded(limit: string, actual: number, most: number): IgnoreFields {
  return refused(`ignore-fields exceeds ${limit}: ${actual} > ${most}`);
}

function fromList(text: string): readonly string[] {
  return text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}

function fromArray(text: string): readonly string[] | undefined {
  const value = parseJson(text);
  return isList(value) && value.every((each) => typeof each === "string") ? value : undefined;
}
