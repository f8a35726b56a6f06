// Holds an operator's account to the content that the catalog declares, in every object that it writes.

import { contentForms, type FieldForm, type FieldsForm, managedByLabel, type ObjectForm } from "@virt/api";
import { objectAnnotations, releasedManager } from "@virt/platform";
import { platform } from "../operators.ts";
import { celForm, celKey, celKeys } from "./cel.ts";
import type { PinnedObject } from "./pinned-objects.ts";
import { celList, celText, type Policy, type Validation } from "./policy.ts";

export type ContentRules = Pick<Policy, "variables" | "validations">;

const { kept, oneOf, optional, required, text } = contentForms;

/** Members of metadata that an operator writes to every object. */
export type OwnMarks = {
  readonly labels: Readonly<Record<string, FieldForm>>;
  readonly annotations: Readonly<Record<string, FieldForm>>;
};

/** Set to an empty text and then removed if an object is released. */
export const platformMarks: OwnMarks = {
  labels: { [managedByLabel.key]: optional(oneOf(managedByLabel.value, "")) },
  annotations: {
    [objectAnnotations.state]: optional(text("(?s).*", 16_384)),
    [objectAnnotations.paused]: kept(oneOf("true")),
  },
};

export type ContentOptions = {
  readonly operator: string;
  readonly objects: readonly PinnedObject[];
  readonly marks: OwnMarks;
  /** CEL: a person asked for other content, by an annotation that was there before this request. */
  readonly isPatched: string;
};

/**
 * The content that is written is the content that the catalog declares, or was there before. A field outside the catalog may
 * disappear only if this operator alone owned it: a patch annotation or an earlier release had added it.
 */
export function contentRules({ operator, objects, marks, isPatched }: ContentOptions): ContentRules {
  const contents = objects.flatMap((object) => object.forms.map((form) => contentOf(object, form, marks)));
  const managers = (object: string) => `${object} == null ? [] : ${object}.metadata.?managedFields.orValue([])`;
  const ours = celKeys([operator, releasedManager]);
  const fieldsOf = (condition: string) =>
    `variables.managersBefore.filter(one, ${condition}).map(one, one.?fieldsV1.orValue({}))`;
  return {
    variables: [
      { name: "isPatched", expression: isPatched },
      {
        name: "target",
        expression:
          "request.operation in ['CREATE', 'UPDATE'] ? variables.write.substring(7) + ' ' + variables.name : ''",
      },
      { name: "version", expression: "object == null ? '' : object.apiVersion + ' ' + variables.target" },
      { name: "managersBefore", expression: managers("oldObject") },
      { name: "managersAfter", expression: managers("object") },
      { name: "ownBefore", expression: fieldsOf(`one.?manager.orValue('') in ${ours}`) },
      { name: "foreignBefore", expression: fieldsOf(`!(one.?manager.orValue('') in ${ours})`) },
      { name: "ownedAfter", expression: "variables.managersAfter.map(one, one.?fieldsV1.orValue({}))" },
      { name: "maps", expression: `{\n${contents.map(mapsEntry).join(",\n")}\n}[?variables.version].orValue([])` },
      { name: "compared", expression: comparedMaps(contents) },
      { name: "strangeMembers", expression: strangeMembers },
      ...contents.map((content, at) => ({ name: `strangeValues${at}`, expression: strangeValues(content) })),
    ],
    validations: [
      ...unownedRules(operator),
      versionRule(operator, objects),
      appliedRule(operator, objects),
      refuseAll(operator, "variables.strangeMembers"),
      ...contents.map(({ version }, at) =>
        refuseAll(operator, `variables.strangeValues${at}`, `variables.version != ${celText(version)} || `),
      ),
    ],
  };
}

function refuseAll(operator: string, places: string, unless = ""): Validation {
  return {
    expression: `${unless}${places}.size() == 0`,
    messageExpression: [
      `${celText(`${operator} may not write `)} + ${places}.join(', ') + ' of ' + object.kind + ' ' + variables.name +`,
      "': its catalog renders no such content. Next: where the operator was upgraded, apply the admission policies of its release'",
    ].join("\n"),
  };
}

/** An owner or a finalizer decides when an object is deleted: the catalog has none. */
function unownedRules(operator: string): readonly Validation[] {
  return ["ownerReferences", "finalizers"].map((field) => {
    const of = (object: string) => `(${object} == null ? [] : ${object}.metadata.?${field}.orValue([]))`;
    return {
      expression: `request.operation in ['DELETE', 'CONNECT'] || ${of("object")} == ${of("oldObject")}`,
      messageExpression: `${celText(`${operator} may not change metadata.${field} of `)} + variables.name`,
    };
  });
}

const targetOf = ({ resource, name }: PinnedObject): string => `${resource} ${name}`;

/** Objects are written in the versions that the catalog knows. Other versions have other fields. */
function versionRule(operator: string, objects: readonly PinnedObject[]): Validation {
  return {
    expression: `!(variables.target in ${celList(objects.map(targetOf))}) || variables.maps.size() > 0`,
    messageExpression: `${celText(`${operator} may not write `)} + variables.target + ' in version ' + object.apiVersion`,
  };
}

/** What is applied is listed in managedFields: members beside it are defaults of a CRD, or set by another client's webhook. */
function appliedRule(operator: string, objects: readonly PinnedObject[]): Validation {
  const posted = objects.filter(({ isPosted }) => isPosted === true).map(targetOf);
  return {
    expression: [
      `request.operation != 'CREATE' || variables.maps.size() == 0 || variables.target in ${celKeys(posted)} ||`,
      "(variables.managersAfter.size() == 1 && variables.managersAfter[0].operation == 'Apply')",
    ].join("\n"),
    messageExpression: `${celText(`${operator} may create `)} + variables.target + ' by server-side apply only'`,
  };
}

/** A map in an object whose members are checked. */
type CheckedMap = { readonly path: readonly string[]; readonly fields: FieldsForm["fields"] };

/** `version`: the version of the API and the object, as the policy writes them. */
type Content = { readonly version: string; readonly maps: readonly CheckedMap[] };

/** The object itself is the first map: beside its roots it stays as it is. */
function contentOf(object: PinnedObject, form: ObjectForm, marks: OwnMarks): Content {
  const metadata = (["labels", "annotations"] as const).map((part) => ({
    path: ["metadata", part],
    fields: { ...constants(form[part]), ...marks[part] },
  }));
  const { spec, data } = form;
  const roots = { ...(spec && { spec: rootField(spec) }), ...(data && { data: rootField(data) }) };
  return { version: `${form.apiVersion} ${targetOf(object)}`, maps: [...metadata, ...mapsBelow([], roots)] };
}

/** An object without content is none of ours, unless the catalog has it empty. */
function rootField(root: FieldsForm): FieldForm {
  const isNeeded = Object.values(root.fields).some(({ presence }) => presence === "required");
  return isNeeded ? required(root) : kept(root);
}

function constants(given: Readonly<Record<string, string>> = {}): Readonly<Record<string, FieldForm>> {
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, kept(oneOf(value))]));
}

function mapsBelow(path: readonly string[], fields: FieldsForm["fields"]): readonly CheckedMap[] {
  const nested = Object.entries(fields).flatMap(([key, { value }]) =>
    value.form === "fields" ? mapsBelow([...path, key], value.fields) : [],
  );
  return [{ path, fields }, ...nested];
}

function mapsEntry({ version, maps }: Content): string {
  return `${celText(version)}: [\n${maps.map(mapData).join(",\n")}]`;
}

/** Whether a map may be removed is decided by what is in it. */
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

// CEL has no loops that carry a value along: a walk down a path is one step for each place that a path may have. Anybody may have
// written the old object, with a text where a map belongs: that must not stop the operator from correcting it.
function comparedMaps(contents: readonly Content[]): string {
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
  // Fields that a manager owns as a whole are an empty map, and so are all below them.
  const owned = (key: string) => `v == {} ? dyn(v) : dyn(v[?('f:' + ${key})].orValue(dyn({'.': {}})))`;
  return [
    "variables.maps.map(part, {",
    "  'path': dyn(part.path), 'known': dyn(part.known), 'removable': dyn(part.removable), 'required': dyn(part.required),",
    `  'isThere': dyn(${walk("[dyn(object)]", member)}.exists(v, type(v) == type({}))),`,
    `  'after': dyn(${walk("[dyn(object)]", member)}${asMap}),`,
    `  'before': dyn(${walk("[dyn(oldObject)]", member)}${asMap}),`,
    `  'own': dyn(${walk("variables.ownBefore.map(v, dyn(v))", owned)}),`,
    `  'foreign': dyn(${walk("variables.foreignBefore.map(v, dyn(v))", owned)}),`,
    `  'now': dyn(${walk("variables.ownedAfter.map(v, dyn(v))", owned)})`,
    "})",
  ].join("\n");
}

/** The maps with a member that the catalog does not have there, or without one that it needs. */
const strangeMembers = [
  "variables.compared.filter(part, !(variables.isPatched && (part.path.size() == 0 || part.path[0] != 'metadata')) && !(",
  "  part.after.all(key, key in part.known || (key in part.before && part.before[key] == part.after[key]) ||",
  "    (request.operation == 'CREATE' && (key == 'status' || !part.now.exists(v, v == {} || ('f:' + key) in v))) ||",
  "    (variables.isPatched && !key.startsWith('platform.kubevirt.io/'))) &&",
  "  part.before.all(key, key in part.after || key in part.removable || (!(key in part.known) &&",
  "    part.own.exists(v, v == {} || ('f:' + key) in v) && !part.foreign.exists(v, v == {} || ('f:' + key) in v)) ||",
  "    (variables.isPatched && !key.startsWith('platform.kubevirt.io/'))) &&",
  "  (request.operation != 'CREATE' || !part.isThere || part.required.all(key, key in part.after))",
  ")).map(part, part.path.size() == 0 ? 'fields' : part.path.join('.'))",
].join("\n");

/** The members of the catalog whose values have another form, and are not those that were there. */
function strangeValues({ maps }: Content): string {
  const checked = (isChecked: (root: string | undefined) => boolean) =>
    maps.flatMap((part, at) => (isChecked(part.path[0]) ? valueRules(part, at) : []));
  const metadata = checked((root) => root === "metadata");
  const content = checked((root) => root !== "metadata");
  return `([${metadata.join(",\n")}] +\n(variables.isPatched ? [] : [${content.join(",\n")}])).filter(place, place != '')`;
}

function valueRules({ path, fields }: CheckedMap, at: number): readonly string[] {
  const [after, before] = [`variables.compared[${at}].after`, `variables.compared[${at}].before`];
  return Object.entries(fields).flatMap(([key, { value }]) => {
    if (value.form === "fields") return [];
    const name = celKey(key);
    const old = `${before}[${name}]`;
    const list = `(${name} in ${before} && type(${old}) == type([]) ? ${old} : dyn([]))`;
    const check = celForm(value, `${after}[${name}]`, list);
    return [
      `!(${name} in ${after}) || (${name} in ${before} && ${old} == ${after}[${name}]) || (${check}) ? '' : ${celKey([...path, key].join("."))}`,
    ];
  });
}

/** Only objects that carry our label are pruned. */
export const deletesOwnObjects: Validation = {
  expression: [
    "request.operation != 'DELETE' ||",
    `(oldObject != null && oldObject.metadata.?labels[?${celText(managedByLabel.key)}].orValue('') == ${celText(managedByLabel.value)})`,
  ].join("\n"),
  messageExpression: `${celText(`${platform.name} may not delete `)} + variables.name + ': it does not carry the label of the operator'`,
};
