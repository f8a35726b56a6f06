// Writes CEL for JSON literals and for checks that a value has a declared form.

import type { Json, ValueForm } from "@virt/api";
import { isMap } from "@virt/objects";

/** Writes JSON as CEL. Values are dynamic, because CEL lists and maps need a single element type. */
export function celValue(value: Json): string {
  if (Array.isArray(value)) return `[${value.map((one: Json) => celDynamic(one)).join(", ")}]`;
  if (isMap(value)) {
    const members = Object.entries(value).map(([key, one]) => `${celKey(key)}: ${celDynamic(one ?? null)}`);
    return `{${members.join(", ")}}`;
  }
  return JSON.stringify(value);
}

const celDynamic = (value: Json): string => `dyn(${celValue(value)})`;

export const celKey = (key: string): string => (/^[\w./-]+$/.test(key) ? `'${key}'` : JSON.stringify(key));

export const celKeys = (keys: readonly string[]): string => `[${keys.map(celKey).join(", ")}]`;

const allOf = (parts: readonly string[]): string => (parts.length === 0 ? "true" : parts.join(" && "));

/**
 * Returns a CEL check that `value` has the form. Elements of the list `before` may stay, and so may members that other
 * clients share with us.
 */
export function celForm(form: ValueForm, value: string, before?: string, depth = 0): string {
  const element = `e${depth}`;
  const inner = (one: ValueForm, expression: string) => celForm(one, expression, undefined, depth + 1);
  switch (form.form) {
    case "oneOf":
      return form.values.length === 1
        ? `${value} == ${celDynamic(form.values[0] ?? null)}`
        : `${value} in ${celValue(form.values)}`;
    case "integer":
      return `type(${value}) == int && int(${value}) >= ${form.from} && int(${value}) <= ${form.to}`;
    case "text":
      return `type(${value}) == string && string(${value}).size() <= ${form.most} && string(${value}).matches(${JSON.stringify(`^(${form.pattern})$`)})`;
    case "list": {
      const known = before === undefined ? [] : [`${element} in ${before}`];
      const alike = [...known, ...form.of.map((one) => `(${celForm(one, element, before, depth + 1)})`)].join(" || ");
      return `type(${value}) == type([]) && ${value}.size() >= ${form.least} && ${value}.size() <= ${form.most} && ${value}.all(${element}, ${alike})`;
    }
    case "tuple":
      return allOf([
        `type(${value}) == type([]) && ${value}.size() == ${form.of.length}`,
        ...form.of.map((one, at) => inner(one, `${value}[${at}]`)),
      ]);
    case "either":
      return form.of.map((one) => `(${inner(one, value)})`).join(" || ");
    case "map":
      return `type(${value}) == type({}) && ${value}.size() <= ${form.most} && ${value}.all(${element}, ${inner(form.keys, element)} && ${inner(form.values, `${value}[${element}]`)})`;
    case "fields": {
      const members = Object.entries(form.fields);
      const needed = members.flatMap(([key, { presence }]) => (presence === "required" ? key : []));
      const stays = (key: string) =>
        before === undefined
          ? ""
          : ` || ${before}.exists(b, type(b) == type({}) && ${key} in b && b[${key}] == ${value}[${key}])`;
      return allOf([
        `type(${value}) == type({}) && ${value}.all(${element}, ${element} in ${celKeys(members.map(([key]) => key))}${stays(element)})`,
        ...needed.map((key) => `${celKey(key)} in ${value}`),
        ...members.map(([key, { value: one }]) => {
          const check = inner(one, `${value}[${celKey(key)}]`);
          const isTaken = `(${check})${stays(celKey(key))}`;
          return needed.includes(key) ? `(${isTaken})` : `(!(${celKey(key)} in ${value}) || ${isTaken})`;
        }),
      ]);
    }
  }
}
