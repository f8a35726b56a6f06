// Who owns which fields of an object, by its managedFields.

import type { KubeObject } from "./cluster.ts";
import { type FieldSet, noFields, readFieldsV1, touchesField, uniteFields } from "./field-set.ts";
import { asList, asText, type Json, member } from "./json.ts";
import { isPlaceKnown, movesTo, type Placed, placeFields } from "./moved-fields.ts";
import { oncePer } from "./once.ts";
import { fieldPath, type Path } from "./path.ts";

/** One entry of managedFields. */
export type Owner = {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly subresource?: string;
  readonly time?: string;
  /** The version in which it was written, if the entry says so. */
  readonly apiVersion?: string;
  /** In terms of the version that was asked for, whatever the entry's own. */
  readonly fields: FieldSet;
  /** In terms of the entry's own version: nobody knows where these are in the one that was asked for. */
  readonly unplaced?: FieldSet;
};

/** In terms of the object's own version. Entries without a manager are nobody's and are left out. */
export const readOwners = oncePer((object: KubeObject) => ownersAs(object, object.apiVersion));

/** In terms of another version of the object. */
export function ownersAs(object: KubeObject, apiVersion: string): readonly Owner[] {
  const asked = { ...object, apiVersion };
  return asList(member(object.metadata, "managedFields")).flatMap((entry) => {
    const manager = asText(member(entry, "manager"));
    if (manager === undefined) return [];
    const operation = member(entry, "operation") === "Apply" ? "Apply" : "Update";
    return [{ manager, operation, ...optionalIn(entry), ...fieldsIn(entry, asked) } as const];
  });
}

function optionalIn(entry: Json): Pick<Owner, "subresource" | "time" | "apiVersion"> {
  const [subresource, time, apiVersion] = ["subresource", "time", "apiVersion"].map((name) =>
    asText(member(entry, name)),
  );
  return {
    ...(subresource ? { subresource } : {}),
    ...(time === undefined ? {} : { time }),
    ...(apiVersion === undefined ? {} : { apiVersion }),
  };
}

function fieldsIn(entry: Json, object: KubeObject): Placed {
  const fields = readFieldsV1(member(entry, "fieldsV1"));
  const from = asText(member(entry, "apiVersion")) ?? object.apiVersion;
  return from === object.apiVersion ? { fields } : placeFields(fields, object, movesTo(object, from));
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

/** Whether the field could be one of those that the owner has, nobody knows where. */
export function mayOwn({ apiVersion, unplaced }: Owner, path: Path, object: KubeObject): boolean {
  const [root = ""] = path;
  return unplaced?.below.has(root) === true && !isPlaceKnown(path, movesTo(object, apiVersion));
}

/**
 * Whether a manager made the object what it is: it applied every one of the fields (dotted), and nobody else owns anything under spec.
 * Only then may it be deleted by us.
 */
export function isMadeBy(object: KubeObject, manager: string, fields: readonly string[]): boolean {
  const owners = readOwners(object);
  const applied = appliedBy(owners, manager);
  const isAll = fields.every((field) => touchesField(applied, dottedPath(field)));
  const spec = fieldPath("spec");
  const isTheirs = ({ fields, unplaced = noFields }: Owner) =>
    touchesField(fields, spec) || touchesField(unplaced, spec);
  const others = owners.filter((owner) => owner.manager !== manager && isTheirs(owner));
  return isAll && fields.length > 0 && others.length === 0;
}

/** A dotted field as the path of its member names; empty names are dropped. */
export function dottedPath(field: string): Path {
  return fieldPath(...field.split(".").filter((name) => name !== ""));
}
