// Who owns a field: the managers in managedFields, the opponent who changed a field that we had set, the other side of a conflict.

import type { Conflict, KubeObject } from "../cluster.ts";
import { readTime } from "../encoding/api-scalars.ts";
import { asList, asText, entriesOf, isMap, type Json, member, parseJson } from "../json/json.ts";
import { oncePer } from "../memoize.ts";
import {
  type FieldSet,
  isNoFields,
  noFields,
  pathsOf,
  readFieldsV1,
  subtractFields,
  touchesField,
  uniteFields,
} from "./field-set.ts";
import { isPlaceKnown, movesTo, type PlacedFields, placeFields } from "./moved-fields.ts";
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

function fieldsIn(entry: Json, object: KubeObject): PlacedFields {
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

/**
 * Reports whether the status was last written before `manager` last applied the object. The times in managedFields are those of the API
 * server, in whole seconds: within the same second the status counts as newer.
 */
export function isStatusOlder(object: KubeObject, manager: string): boolean {
  const owners = readOwners(object);
  const latest = (among: readonly Owner[]) => Math.max(...among.flatMap(({ time = "" }) => readTime(time) ?? []));
  const applied = latest(owners.filter((owner) => isApplier(owner, manager)));
  return latest(owners.filter(({ subresource }) => subresource === "status")) < applied;
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

/** The manager who changed a field of ours, as managedFields names it. */
export type Opponent = Pick<Owner, "manager" | "operation">;

/** Who owns the fields of an object now, and who owned them in the last answer of the server to us. */
export type FieldEncounter = {
  readonly live: readonly Owner[];
  readonly answer: readonly Owner[]; // as the server's last answer to us had them
  readonly ours: readonly string[]; // our own managers, which fight nobody
};

/** The newest of those that own the field now; a removal leaves none, so then the newest that has done anything since our answer. */
export function opponentOf(path: Path, { live, answer, ours }: FieldEncounter): Opponent | "unknown" {
  const others = live.filter(({ manager, subresource }) => subresource === undefined && !ours.includes(manager));
  return newest(ownersOf(others, path)) ?? newest(others.filter((owner) => isChanged(owner, answer))) ?? "unknown";
}

/** `"kubectl-edit" (Update)` */
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

/** The field as the server writes it in a conflict's cause, with or without its leading dot. An unknown owner counts as one that updates. */
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

/** `spec.containers[name="a"].image`, as structured-merge-diff prints paths, without the leading dot. */
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
