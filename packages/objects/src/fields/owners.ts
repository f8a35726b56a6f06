// Finds the owners of fields: managers, opponents in edit wars and the other side of conflicts.

import type { Conflict, KubeObject } from "@virt/api";
import { readTime } from "../encoding/api-scalars.ts";
import { asList, asText, entriesOf, isMap, type Json, member, oncePer, parseJson } from "../json/json.ts";
import {
  type FieldSet,
  isNoFields,
  isPlaceKnown,
  movesTo,
  noFields,
  type PlacedFields,
  pathsOf,
  placeFields,
  readFieldsV1,
  subtractFields,
  touchesField,
  uniteFields,
} from "./field-set.ts";
import { fieldPath, type Path } from "./path.ts";

/** An entry of `metadata.managedFields`. A manager has one entry for each operation, subresource and version. */
export type Owner = {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly subresource?: string;
  readonly time?: string;
  readonly apiVersion?: string;
  /** The fields in the requested version. */
  readonly fields: FieldSet;
  /** Fields in the entry's own API version whose path in the requested version is unknown. */
  readonly unplaced?: FieldSet;
};

/** Returns the owners in the object's own version. Skips entries without a manager. */
export const readOwners = oncePer((object: KubeObject) => ownersAs(object, object.apiVersion));

/** Returns the owners in another version of the object. */
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

function fieldsIn(entry: Json, object: KubeObject): PlacedFields {
  const fields = readFieldsV1(member(entry, "fieldsV1"));
  const from = asText(member(entry, "apiVersion")) ?? object.apiVersion;
  return from === object.apiVersion ? { fields } : placeFields(fields, object, movesTo(object, from));
}

/** Returns the fields that server-side apply set. Excludes subresources. */
export function appliedBy(owners: readonly Owner[], manager: string): FieldSet {
  const [first = noFields, ...more] = owners.filter((owner) => isApplier(owner, manager)).map(({ fields }) => fields);
  return more.reduce(uniteFields, first);
}

/** Reports whether an apply gives up fields that the manager applied before. Other managers may still own them. */
export function givesUpFields(before: KubeObject, after: KubeObject, manager: string): boolean {
  const [earlier, later] = [before, after].map((object) => appliedBy(ownersAs(object, before.apiVersion), manager));
  return !isNoFields(subtractFields(earlier ?? noFields, later ?? noFields));
}

function isApplier(owner: Owner, manager: string): boolean {
  return owner.manager === manager && owner.operation === "Apply" && owner.subresource === undefined;
}

/**
 * Reports whether the last write of the status precedes the manager's last apply. Times have whole seconds, so a tie
 * counts as newer.
 */
export function isStatusOlder(object: KubeObject, manager: string): boolean {
  const owners = readOwners(object);
  const latest = (among: readonly Owner[]) => Math.max(...among.flatMap(({ time = "" }) => readTime(time) ?? []));
  const applied = latest(owners.filter((owner) => isApplier(owner, manager)));
  return latest(owners.filter(({ subresource }) => subresource === "status")) < applied;
}

/** Returns the owners of the field, of its parents and of its parts. */
export function ownersOf(owners: readonly Owner[], path: Path): readonly Owner[] {
  return owners.filter(({ fields }) => touchesField(fields, path));
}

/** Reports whether the field may be one of the owner's unplaced fields. */
export function mayOwn({ apiVersion, unplaced }: Owner, path: Path, object: KubeObject): boolean {
  const [root = ""] = path;
  return unplaced?.below.has(root) === true && !isPlaceKnown(path, movesTo(object, apiVersion));
}

/**
 * Reports whether the manager applied all fields (dotted) and no other manager owns anything in `spec`. Otherwise, the
 * operator must not delete the object.
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

/** Splits at dots and drops empty names. */
export function dottedPath(field: string): Path {
  return fieldPath(...field.split(".").filter((name) => name !== ""));
}

/** The manager on the other side of an edit war. */
export type Opponent = Pick<Owner, "manager" | "operation">;

/** The object before and after a write, to find the opponent of an edit war. */
export type FieldEncounter = {
  readonly live: readonly Owner[];
  readonly answer: readonly Owner[];
  readonly ours: readonly string[]; // our own managers, which are never opponents
};

/** Returns the latest owner of the field or, after a removal, the latest manager that changed anything. */
export function opponentOf(path: Path, { live, answer, ours }: FieldEncounter): Opponent | "unknown" {
  const others = live.filter(({ manager, subresource }) => subresource === undefined && !ours.includes(manager));
  return newest(ownersOf(others, path)) ?? newest(others.filter((owner) => isChanged(owner, answer))) ?? "unknown";
}

/** Returns a string such as `"kubectl-edit" (Update)`. */
export function describeOpponent(opponent: Opponent | "unknown"): string {
  return opponent === "unknown" ? opponent : `"${opponent.manager}" (${opponent.operation})`;
}

function newest(owners: readonly Owner[]): Opponent | undefined {
  const time = (owner: Owner) => readTime(owner.time ?? "") ?? Number.MIN_SAFE_INTEGER;
  const [first] = owners.toSorted((left, right) => time(right) - time(left));
  return first === undefined ? undefined : { manager: first.manager, operation: first.operation };
}

function isChanged(owner: Owner, answer: readonly Owner[]): boolean {
  const before = answer.find(
    ({ manager, operation, subresource, apiVersion }) =>
      manager === owner.manager &&
      operation === owner.operation &&
      subresource === owner.subresource &&
      apiVersion === owner.apiVersion,
  );
  if (before === undefined || before.time !== owner.time) return true;
  return (
    !isNoFields(subtractFields(owner.fields, before.fields)) || !isNoFields(subtractFields(before.fields, owner.fields))
  );
}

/** Adds the owner's operation (default: Update) and time. Removes a leading dot from `field`. */
export function completeConflict(
  { field, manager }: Pick<Conflict, "field" | "manager">,
  live: readonly Owner[],
): Conflict {
  const name = field.replace(/^\./, "");
  const entries = live.filter((owner) => owner.manager === manager);
  const entry =
    entries.find(({ fields }) => pathsOf(fields).some((path) => conflictField(path) === name)) ?? entries[0];
  const time = entry?.time === undefined ? {} : { time: entry.time };
  return { field: name, manager, operation: entry?.operation ?? "Update", ...time };
}

/** Uses the format of structured-merge-diff without the leading dot: `spec.containers[name="a"].image`. */
function conflictField(path: Path): string {
  return path.map(elementText).join("").replace(/^\./, "");
}

function elementText(element: string): string {
  const content = element.slice(2);
  if (element.startsWith("f:")) return `.${content}`;
  if (element.startsWith("v:")) return `[=${content}]`;
  const keys = element.startsWith("k:") ? parseJson(content) : undefined;
  if (!isMap(keys)) return `[${content}]`;
  return `[${entriesOf(keys)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join(",")}]`;
}
