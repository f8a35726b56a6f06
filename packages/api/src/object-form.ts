// Describes the content that an operator may write to an object. Admission policies enforce it, in case its token is
// stolen.

import type { Json, JsonMap } from "./object.ts";

/** The allowed values of a field. */
export type ValueForm =
  | { readonly form: "oneOf"; readonly values: readonly Json[] }
  | { readonly form: "integer"; readonly from: number; readonly to: number }
  /** A string. `pattern` is an RE2 expression that must match all of it. `most` is the maximum length. */
  | { readonly form: "text"; readonly pattern: string; readonly most: number }
  | { readonly form: "list"; readonly of: readonly ValueForm[]; readonly least: number; readonly most: number }
  /** A list of exactly these elements, in this order. */
  | { readonly form: "tuple"; readonly of: readonly ValueForm[] }
  /** Any of these forms. */
  | { readonly form: "either"; readonly of: readonly ValueForm[] }
  | { readonly form: "map"; readonly keys: ValueForm; readonly values: ValueForm; readonly most: number }
  | FieldsForm;

/** A map that other clients may also write to. The operator never changes fields that are not listed. */
export type FieldsForm = { readonly form: "fields"; readonly fields: Readonly<Record<string, FieldForm>> };

/**
 * A field of a map. `required`: always set. `kept`: never removed once set, but absent if the CRD does not have it.
 * `optional`: may be removed.
 */
export type FieldForm = { readonly value: ValueForm; readonly presence: "required" | "kept" | "optional" };

/** The allowed content of an object in one API version, excluding the operator's own metadata. */
export type ObjectForm = {
  readonly apiVersion: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** A text is the only allowed value. */
  readonly annotations?: Readonly<Record<string, string | ValueForm>>;
  readonly spec?: FieldsForm;
  readonly data?: FieldsForm;
};

const presence =
  (how: FieldForm["presence"]) =>
  (value: ValueForm): FieldForm => ({ value, presence: how });

const most = 1000;

/** Returns the form for a constant value. Other clients may add fields to its maps and elements to its lists. */
function constant(value: Json): ValueForm {
  if (Array.isArray(value)) {
    const elements = value as readonly Json[];
    return {
      form: "list",
      of: elements.map(constant),
      least: elements.length,
      most,
    };
  }
  if (typeof value !== "object" || value === null) return { form: "oneOf", values: [value] };
  return { form: "fields", fields: constantFields(value as JsonMap, "required") };
}

function constantFields(members: JsonMap, how: FieldForm["presence"] = "kept"): Readonly<Record<string, FieldForm>> {
  const named = Object.entries(members).map(([key, value]) => [key, presence(how)(constant(value ?? null))] as const);
  return Object.fromEntries(named);
}

/** Functions with which the catalog declares allowed content. */
export const contentForms = {
  constant,
  constantFields,
  oneOf: (...values: readonly Json[]): ValueForm => ({ form: "oneOf", values }),
  integer: (from: number, to: number): ValueForm => ({ form: "integer", from, to }),
  text: (pattern: string, most: number): ValueForm => ({ form: "text", pattern, most }),
  listOf: (of: readonly ValueForm[], least: number, most: number): ValueForm => ({ form: "list", of, least, most }),
  tuple: (...of: readonly ValueForm[]): ValueForm => ({ form: "tuple", of }),
  either: (...of: readonly ValueForm[]): ValueForm => ({ form: "either", of }),
  mapOf: (keys: ValueForm, values: ValueForm, most: number): ValueForm => ({ form: "map", keys, values, most }),
  fields: (members: FieldsForm["fields"]): FieldsForm => ({ form: "fields", fields: members }),
  required: presence("required"),
  kept: presence("kept"),
  optional: presence("optional"),
} as const;
