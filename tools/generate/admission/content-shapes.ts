// Finds objects that differ only in constants. A policy checks them with one set of expressions and keeps their
// constants as data, because a policy must fit into the annotation of `kubectl apply`.

import type { FieldForm, FieldsForm } from "@virt/api";
import { canonicalJson, equalJson, type Json } from "@virt/objects";
import { celValue } from "./cel.ts";
import type { CheckedMap, Content } from "./checked-maps.ts";
import { celText } from "./policy.ts";

/** Contents with the same maps and forms. `maps` are those of the first content. */
export type ContentShape = {
  readonly maps: readonly CheckedMap[];
  readonly contents: readonly Content[];
  /** The dotted paths of the fields whose constant differs between the contents. */
  readonly varying: ReadonlySet<string>;
};

/** Returns the shapes in the order of their first contents. */
export function contentShapes(contents: readonly Content[]): readonly ContentShape[] {
  const alike = Map.groupBy(contents, ({ maps }) => canonicalJson(maps.map(withoutConstants) as unknown as Json));
  return [...alike.values()].flatMap((group) => {
    const [first, ...others] = group;
    if (first === undefined) return [];
    const differs = (path: string) =>
      others.some((other) => !equalJson(constantsOf(first)[path], constantsOf(other)[path]));
    return [{ maps: first.maps, contents: group, varying: new Set(Object.keys(constantsOf(first)).filter(differs)) }];
  });
}

const isConstant = ({ value }: FieldForm) => value.form === "oneOf" && value.values.length === 1;

function withoutConstants({ path, fields }: CheckedMap): CheckedMap {
  const members = Object.entries(fields).map(([key, field]) => [
    key,
    isConstant(field) ? variable(field) : inner(field),
  ]);
  return { path, fields: Object.fromEntries(members) as FieldsForm["fields"] };
}

const variable = ({ presence }: FieldForm): FieldForm => ({ presence, value: { form: "oneOf", values: [] } });

/** The map of a nested field is listed separately. */
function inner(field: FieldForm): FieldForm {
  return field.value.form === "fields" ? { ...field, value: { form: "fields", fields: {} } } : field;
}

function constantsOf({ maps }: Pick<Content, "maps">): Readonly<Record<string, Json>> {
  return Object.fromEntries(
    maps.flatMap(({ path, fields }) =>
      Object.entries(fields).flatMap(([key, { value }]) =>
        value.form === "oneOf" && value.values.length === 1
          ? [[placeOf(path, key), value.values[0] ?? null] as const]
          : [],
      ),
    ),
  );
}

export const placeOf = (path: readonly string[], key: string): string => [...path, key].join(".");

/** Returns the CEL map from each version of an object to the number of its shape. */
export function shapesByVersion(shapes: readonly ContentShape[]): string {
  const entries = shapes.flatMap(({ contents }, at) => contents.map(({ version }) => `${celText(version)}: ${at}`));
  return `{\n${entries.join(",\n")}\n}[?variables.version].orValue(-1)`;
}

/** Returns the CEL map from each version of an object to its varying constants. */
export function constantsByVersion(shapes: readonly ContentShape[]): string {
  const entries = shapes
    .filter(({ varying }) => varying.size > 0)
    .flatMap(({ contents, varying }) =>
      contents.map((content) => {
        const constants = Object.entries(constantsOf(content)).filter(([path]) => varying.has(path));
        return `${celText(content.version)}: ${celValue(Object.fromEntries(constants))}`;
      }),
    );
  return entries.length === 0 ? "{}" : `{\n${entries.join(",\n")}\n}[?variables.version].orValue({})`;
}
