// Converts profile options to form values and back, and validates them against the CRD schema.

import type { Json, JsonMap } from "@virt/api";
import { asText, entriesOf, equalJson, isMap, parseJson } from "@virt/objects";

/** An option from the CRD schema. If `default` is absent, the advisor derives the value. */
export type OptionField = {
  readonly name: string;
  readonly type: "boolean" | "integer" | "string" | "object";
  readonly description?: string;
  readonly default?: Json;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
};

/** Form values by option. An empty string means that the option is not set, so the default applies. */
export type OptionTexts = Readonly<Record<string, string>>;

export type ReadOptionForm =
  | { readonly kind: "valid"; readonly options: JsonMap }
  | { readonly kind: "invalid"; readonly errors: Readonly<Record<string, OptionError>> };

export type OptionError = "not-integer" | "too-small" | "too-large" | "not-listed" | "not-object";

export function optionTexts(fields: readonly OptionField[], given: JsonMap): OptionTexts {
  return Object.fromEntries(
    fields.map(({ name }) => {
      const value = given[name];
      return [name, value === undefined ? "" : (asText(value) ?? JSON.stringify(value))];
    }),
  );
}

export function readOptionForm(fields: readonly OptionField[], texts: OptionTexts): ReadOptionForm {
  const read = fields.flatMap((field) => {
    const text = (texts[field.name] ?? "").trim();
    return text === "" ? [] : [{ name: field.name, result: readOption(field, text) }];
  });
  const errors = read.flatMap(({ name, result }) => ("error" in result ? [[name, result.error] as const] : []));
  if (errors.length > 0) return { kind: "invalid", errors: Object.fromEntries(errors) };
  return {
    kind: "valid",
    options: Object.fromEntries(read.flatMap(({ name, result }) => ("value" in result ? [[name, result.value]] : []))),
  };
}

type ReadOption = { readonly value: Json } | { readonly error: OptionError };

function readOption(field: OptionField, text: string): ReadOption {
  switch (field.type) {
    case "boolean":
      return text === "true" || text === "false" ? { value: text === "true" } : { error: "not-listed" };
    case "integer":
      return readInteger(field, text);
    case "string":
      return field.enum === undefined || field.enum.includes(text) ? { value: text } : { error: "not-listed" };
    case "object": {
      const value = parseJson(text);
      return isMap(value) ? { value } : { error: "not-object" };
    }
  }
}

function readInteger({ minimum, maximum }: OptionField, text: string): ReadOption {
  if (!/^-?\d{1,9}$/.test(text)) return { error: "not-integer" };
  const value = Number(text);
  if (minimum !== undefined && value < minimum) return { error: "too-small" };
  return maximum !== undefined && value > maximum ? { error: "too-large" } : { value };
}

/** Returns a merge patch between two option sets. Removed members become null. */
export function optionsPatch(before: JsonMap, after: JsonMap): JsonMap {
  const cleared = entriesOf(before).flatMap(([key]) => (key in after ? [] : [[key, null] as const]));
  const set = entriesOf(after).map(([key, value]) => {
    const was = before[key];
    return [key, isMap(was) && isMap(value) && !equalJson(was, value) ? optionsPatch(was, value) : value] as const;
  });
  return Object.fromEntries([...cleared, ...set]);
}
