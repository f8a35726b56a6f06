// Lists an object's maps with their declared members, and writes the CEL that finds undeclared members.

import { contentForms, type FieldForm, type FieldsForm, type ObjectForm, type ValueForm } from "@virt/api";
import { celKeys } from "./cel.ts";
import type { PinnedObject } from "./pinned-objects.ts";

const { kept, oneOf, required } = contentForms;

export type OwnMarks = {
  readonly labels: Readonly<Record<string, FieldForm>>;
  readonly annotations: Readonly<Record<string, FieldForm>>;
};

export const targetOf = ({ resource, name }: PinnedObject): string => `${resource} ${name}`;

export type CheckedMap = { readonly path: readonly string[]; readonly fields: FieldsForm["fields"] };

/** `version` is the API version and the object, as the policy writes them. */
export type Content = { readonly version: string; readonly maps: readonly CheckedMap[] };

/** Lists the maps of an object. The first one is the object itself, whose undeclared fields must not change. */
export function contentOf(object: PinnedObject, form: ObjectForm, marks: OwnMarks): Content {
  const metadata = (["labels", "annotations"] as const).map((part) => ({
    path: ["metadata", part],
    fields: { ...metadataFields(form[part]), ...marks[part] },
  }));
  const { spec, data } = form;
  const roots = { ...(spec && { spec: rootField(spec) }), ...(data && { data: rootField(data) }) };
  return { version: `${form.apiVersion} ${targetOf(object)}`, maps: [...metadata, ...mapsBelow([], roots)] };
}

/** The root is required if any of its members is, because an object without its content is not ours. */
function rootField(root: FieldsForm): FieldForm {
  const isNeeded = Object.values(root.fields).some(({ presence }) => presence === "required");
  return isNeeded ? required(root) : kept(root);
}

function metadataFields(given: Readonly<Record<string, string | ValueForm>> = {}): Readonly<Record<string, FieldForm>> {
  const forms = Object.entries(given).map(([key, value]) => [
    key,
    kept(typeof value === "string" ? oneOf(value) : value),
  ]);
  return Object.fromEntries(forms) as Readonly<Record<string, FieldForm>>;
}

function mapsBelow(path: readonly string[], fields: FieldsForm["fields"]): readonly CheckedMap[] {
  const nested = Object.entries(fields).flatMap(([key, { value }]) =>
    value.form === "fields" ? mapsBelow([...path, key], value.fields) : [],
  );
  return [{ path, fields }, ...nested];
}

export function mapsEntry({ maps }: Pick<Content, "maps">, shape: number): string {
  return `${shape}: [\n${maps.map(mapData).join(",\n")}]`;
}

/** Returns the data of a map for the policy. Treats the map as removable, because its fields are checked separately. */
function mapData({ path, fields }: CheckedMap): string {
  const members = Object.entries(fields);
  const named = (isNamed: (field: FieldForm) => boolean) =>
    celKeys(members.flatMap(([key, field]) => (isNamed(field) ? key : [])));
  const system = path.length === 0 ? ["apiVersion", "kind", "metadata"] : [];
  return [
    `  {'path': ${celKeys(path)}, 'known': ${celKeys([...system, ...members.map(([key]) => key)])}`,
    `'removable': ${named(({ value, presence }) => presence === "optional" || value.form === "fields")}`,
    `'required': ${named(({ presence }) => presence === "required")}}`,
  ].join(", ");
}

// CEL loops have no state, so each step of a path is a separate expression. Another client may have stored a string
// instead of a map, which must not keep the operator from correcting it.
export function comparedMaps(contents: readonly Content[]): string {
  const deepest = Math.max(...contents.flatMap(({ maps }) => maps.map(({ path }) => path.length)));
  const walk = (start: string, step: (key: string) => string) =>
    [
      start,
      ...Array.from(
        { length: deepest },
        (_, at) => `.map(v, part.path.size() <= ${at} ? v : ${step(`part.path[${at}]`)})`,
      ),
    ].join("");
  const absent = "dyn('')";
  const member = (key: string) => `type(v) == type({}) ? dyn(v[?${key}].orValue(${absent})) : ${absent}`;
  const asMap = ".map(v, type(v) == type({}) ? dyn(v) : dyn({}))[0]";
  // In managedFields, a field that is owned as a whole is an empty map, and the ownership includes everything below it.
  const owned = (key: string) => `v == {} ? dyn(v) : dyn(v[?('f:' + ${key})].orValue(dyn({'.': {}})))`;
  return [
    "variables.maps.map(part, {",
    "  'path': dyn(part.path), 'known': dyn(part.known), 'removable': dyn(part.removable), 'required': dyn(part.required),",
    `  'isThere': dyn(${walk("[dyn(object)]", member)}.exists(v, type(v) == type({}))),`,
    `  'after': dyn(${walk("[dyn(object)]", member)}${asMap}),`,
    `  'before': dyn(${walk("[dyn(oldObject)]", member)}${asMap}),`,
    `  'own': dyn(${walk("variables.ownBefore.map(v, dyn(v))", owned)}),`,
    `  'foreign': dyn(${walk("variables.foreignBefore.map(v, dyn(v))", owned)}),`,
    `  'written': dyn(${walk("variables.written.map(v, dyn(v))", owned)})`,
    "})",
  ].join("\n");
}

// managedFields shows an atomic map without its members. `spec` and `data` are not atomic: they appear this way if
// applied empty.
const isAtomic = "part.path.size() > 1 && part.written.exists(v, v == {})";
const ownsMember = (owners: string) => `part.${owners}.exists(v, ('f:' + key) in v)`;
const ownsWhole = (owners: string) => `part.${owners}.exists(v, v == {})`;

export const strangeMembers = [
  "variables.compared.filter(part, !(variables.isPatched && (part.path.size() == 0 || part.path[0] != 'metadata')) && !(",
  "  part.after.all(key, key in part.known || (key in part.before && part.before[key] == part.after[key]) ||",
  `    ((request.operation == 'CREATE' || variables.isTracked) && !(${isAtomic}) && !${ownsMember("written")}) ||`,
  "    (request.operation == 'CREATE' && key == 'status') ||",
  "    (variables.isPatched && !key.startsWith('platform.kubevirt.io/'))) &&",
  `  part.before.all(key, key in part.after || key in part.removable || (!(key in part.known) && !${ownsMember("foreign")} && (`,
  // A client that owns a map but no member of it looks like the owner of an atomic map. If we own the member, the map
  // is not atomic.
  `    ${ownsMember("own")} || (${ownsWhole("own")} && !${ownsWhole("foreign")}) ||`,
  `    (variables.isTracked && part.isThere && ${isAtomic}))) ||`,
  "    (variables.isPatched && !key.startsWith('platform.kubevirt.io/'))) &&",
  "  (request.operation != 'CREATE' || !part.isThere || part.required.all(key, key in part.after))",
  ")).map(part, part.path.size() == 0 ? 'fields' : part.path.join('.'))",
].join("\n");
