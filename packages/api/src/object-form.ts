// The content that an operator of ours may write to an object. Admission policies are generated from it, so that a stolen
// token writes nothing else.

import type { Json, JsonMap } from "./object.ts";

/** The values that are allowed at one place. */
export type ValueForm =
  | { readonly form: "oneOf"; readonly values: readonly Json[] }
  | { readonly form: "integer"; readonly from: number; readonly to: number }
  /** `pattern` is an RE2 expression for the whole text; `most` is its longest length. */
  | { readonly form: "text"; readonly pattern: string; readonly most: number }
  | { readonly form: "list"; readonly of: readonly ValueForm[]; readonly least: number; readonly most: number }
  /** These elements, in this order. */
  | { readonly form: "tuple"; readonly of: readonly ValueForm[] }
  | { readonly form: "map"; readonly keys: ValueForm; readonly values: ValueForm; readonly most: number }
  | FieldsForm;

/** A map whose other members belong to other clients, which the operator neither adds, changes nor removes. */
export type FieldsForm = { readonly form: "fields"; readonly fields: Readonly<Record<string, FieldForm>> };

/**
 * `required`: part of every object that the operator creates, and never removed. `kept`: never removed, but absent if, for
 * example, the CRD lacks the field. `optional`: the operator may also remove it.
 */
export type FieldForm = { readonly value: ValueForm; readonly presence: "required" | "kept" | "optional" };

/** The content of an object in one version of its API, beside our own marks in its metadata. */
export type ObjectForm = {
  readonly apiVersion: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: FieldsForm;
  readonly data?: FieldsForm;
};

const presence =
  (how: FieldForm["presence"]) =>
  (value: ValueForm): FieldForm => ({ value, presence: how });

const most = 1000;

/** The form of a value that never differs. Other clients may have members beside it, and elements in its lists. */
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

/** The words in which the catalog declares content. */
export const contentForms = {
  constant,
  constantFields,
  oneOf: (...values: readonly Json[]): ValueForm => ({ form: "oneOf", values }),
  integer: (from: number, to: number): ValueForm => ({ form: "integer", from, to }),
  text: (pattern: string, most: number): ValueForm => ({ form: "text", pattern, most }),
  /** A list in which each element has one of these forms. */
  listOf: (of: readonly ValueForm[], least: number, most: number): ValueForm => ({ form: "list", of, least, most }),
  tuple: (...of: readonly ValueForm[]): ValueForm => ({ form: "tuple", of }),
  mapOf: (keys: ValueForm, values: ValueForm, most: number): ValueForm => ({ form: "map", keys, values, most }),
  fields: (members: FieldsForm["fields"]): FieldsForm => ({ form: "fields", fields: members }),
  required: presence("required"),
  kept: presence("kept"),
  optional: presence("optional"),
} as const;
