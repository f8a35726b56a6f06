// Who owns which fields of an object, by its managedFields.

import type { KubeObject } from "./cluster.ts";
import { type FieldSet, noFields, readFieldsV1, touchesField, uniteFields } from "./field-set.ts";
import { asList, asText, member } from "./json.ts";
import { oncePer } from "./once.ts";
import { fieldPath, type Path } from "./path.ts";

/** One entry of managedFields. */
export type Owner = {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly subresource?: string;
  readonly time?: string;
  readonly fields: FieldSet;
};

/** Entries without a manager are nobody's and are left out. */
export const readOwners = oncePer(ownersIn);

function ownersIn(object: KubeObject): readonly Owner[] {
  return asList(member(object.metadata, "managedFields")).flatMap((entry) => {
    const manager = asText(member(entry, "manager"));
    const subresource = asText(member(entry, "subresource"));
    const time = asText(member(entry, "time"));
    if (manager === undefined) return [];
    const operation = member(entry, "operation") === "Apply" ? "Apply" : "Update";
    const optional = { ...(subresource ? { subresource } : {}), ...(time === undefined ? {} : { time }) };
    return [{ manager, operation, ...optional, fields: readFieldsV1(member(entry, "fieldsV1")) } as const];
  });
}

/** What a manager owns by server-side apply, but for subresources. */
export function appliedBy(owners: readonly Owner[], manager: string): FieldSet {
  const [first = noFields, ...more] = owners.filter((owner) => isApplier(owner, manager)).map(({ fields }) => fields);
  return more.reduce(uniteFields, first);
}

function isApplier(owner: Owner, manager: string): boolean {
  return owner.manager === manager && owner.operation === "Apply" && owner.subresource === undefined;
}

/** Who owns the field, a parent of it or a part of it. */
export function ownersOf(owners: readonly Owner[], path: Path): readonly Owner[] {
  return owners.filter(({ fields }) => touchesField(fields, path));
}

/**
 * Whether a manager made the object what it is: it applied every one of the fields (dotted), and nobody else owns anything under spec.
 * Only then may it be deleted by us.
 */
export function isMadeBy(object: KubeObject, manager: string, fields: readonly string[]): boolean {
  const owners = readOwners(object);
  const applied = appliedBy(owners, manager);
  const isAll = fields.every((field) => touchesField(applied, dottedPath(field)));
  const others = ownersOf(owners, fieldPath("spec")).filter((owner) => owner.manager !== manager);
  return isAll && fields.length > 0 && others.length === 0;
}

/** A dotted field as the path of its member names; empty names are dropped. */
export function dottedPath(field: string): Path {
  return fieldPath(...field.split(".").filter((name) => name !== ""));
}
