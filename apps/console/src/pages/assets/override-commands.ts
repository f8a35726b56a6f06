// Fills in the example override commands with a real field of the object, so that users only change the value.

import type { JsonMap } from "@virt/api";
import { at } from "@virt/objects";

/** Matches pointers that need no escaping in a shell or in a JSON pointer. */
const plainPointer = /^(?:\/[A-Za-z0-9][\w.-]*)+$/u;
const plainText = /^[\w.:/%-]*$/u;

/** Replaces `/spec/…` with a field and `…` with its value. Keeps the placeholders if no field is safe to paste. */
export function fillOverride(annotation: string, fields: readonly string[], object: JsonMap | undefined): string {
  const field = fields.find((pointer) => plainPointer.test(pointer));
  if (field === undefined) return annotation;
  const value = object === undefined ? undefined : plainValue(at(object, ...field.slice(1).split("/")));
  return annotation.replace("/spec/…", field).replace("…", value ?? "…");
}

/** Returns the value as JSON, or undefined if a shell might interpret it. The value may come from an attacker. */
function plainValue(value: ReturnType<typeof at>): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return JSON.stringify(value);
  return typeof value === "string" && plainText.test(value) ? JSON.stringify(value) : undefined;
}
