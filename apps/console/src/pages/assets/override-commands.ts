// The commands that override one object: with one of its fields, so that only the value is left to change.

import type { JsonMap } from "@virt/api";
import { at } from "@virt/engine";

/** Nothing in it has a meaning for a shell or needs an escape in a pointer. */
const plainPointer = /^(?:\/[A-Za-z0-9][\w.-]*)+$/u;
const plainText = /^[\w.:/%-]*$/u;

/** `annotation` has `/spec/…` for a field and `…` for its value. A placeholder stays if the object has no field with a plain name and value. */
export function fillOverride(annotation: string, fields: readonly string[], object: JsonMap | undefined): string {
  const field = fields.find((pointer) => plainPointer.test(pointer));
  if (field === undefined) return annotation;
  const value = object === undefined ? undefined : plainValue(at(object, ...field.slice(1).split("/")));
  return annotation.replace("/spec/…", field).replace("…", value ?? "…");
}

/** As JSON. Undefined: another client chose the value, and it may mean something to a shell. */
function plainValue(value: ReturnType<typeof at>): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return JSON.stringify(value);
  return typeof value === "string" && plainText.test(value) ? JSON.stringify(value) : undefined;
}
