// Restricts an operator's account to the content that the catalog declares, in every object that it writes.

import { contentForms, type FieldsForm, managedByLabel } from "@virt/api";
import { annotationPrefix, objectAnnotations, releasedManager } from "@virt/platform";
import { platform } from "../operators.ts";
import { celForm, celKey, celKeys } from "./cel.ts";
import {
  type CheckedMap,
  comparedMaps,
  contentOf,
  mapsEntry,
  type OwnMarks,
  strangeMembers,
  targetOf,
} from "./checked-maps.ts";
import { type ContentShape, constantsByVersion, contentShapes, placeOf, shapesByVersion } from "./content-shapes.ts";
import type { PinnedObject } from "./pinned-objects.ts";
import { celList, celText, type Policy, type Validation } from "./policy.ts";

export type ContentRules = Pick<Policy, "variables" | "validations">;

const { kept, oneOf, optional, text } = contentForms;

/** The operator's marks on objects. When it releases an object, it first empties and then removes them. */
export const platformMarks: OwnMarks = {
  labels: { [managedByLabel.key]: optional(oneOf(managedByLabel.value, "")) },
  annotations: {
    [objectAnnotations.state]: optional(text("(?s).*", 16_384)),
    [objectAnnotations.paused]: kept(oneOf("true")),
  },
};

export type ContentOptions = {
  readonly operator: string;
  /** The field managers of the operator's writes. */
  readonly managers: readonly string[];
  readonly objects: readonly PinnedObject[];
  readonly marks: OwnMarks;
  /** A CEL expression that is true if an annotation from before this request changes the content. */
  readonly isPatched: string;
};

/**
 * Written content must be declared by the catalog or already exist. managedFields lists the fields that a request adds
 * or changes under its field manager. Other fields come from defaults, conversions or webhooks. An undeclared field may
 * disappear only if no other client owns it, or together with an atomic map.
 */
export function contentRules({ operator, managers, objects, marks, isPatched }: ContentOptions): ContentRules {
  const contents = objects.flatMap((object) => object.forms.map((form) => contentOf(object, form, marks)));
  const shapes = contentShapes(contents);
  const managersOf = (object: string) => `${object} == null ? [] : ${object}.metadata.?managedFields.orValue([])`;
  const ours = celKeys([...managers, releasedManager]);
  const fieldsOf = (when: string, condition: string) =>
    `variables.managers${when}.filter(one, ${condition}).map(one, one.?fieldsV1.orValue({}))`;
  return {
    variables: [
      { name: "isPatched", expression: isPatched },
      {
        name: "target",
        expression:
          "request.operation in ['CREATE', 'UPDATE'] ? variables.write.substring(7) + ' ' + variables.name : ''",
      },
      { name: "version", expression: "object == null ? '' : object.apiVersion + ' ' + variables.target" },
      { name: "managersBefore", expression: managersOf("oldObject") },
      { name: "managersAfter", expression: managersOf("object") },
      {
        name: "isTracked",
        expression: `request.operation == 'UPDATE' && variables.managersAfter.size() > 0 && request.options.?fieldManager.orValue('') in ${ours}`,
      },
      { name: "ownBefore", expression: fieldsOf("Before", `one.?manager.orValue('') in ${ours}`) },
      { name: "foreignBefore", expression: fieldsOf("Before", `!(one.?manager.orValue('') in ${ours})`) },
      {
        name: "written",
        expression: fieldsOf(
          "After",
          `!variables.isTracked || one.?manager.orValue('') in ${celKeys([...managers, releasedManager, mergedManager])}`,
        ),
      },
      { name: "shape", expression: shapesByVersion(shapes) },
      { name: "constants", expression: constantsByVersion(shapes) },
      { name: "maps", expression: `{\n${shapes.map(mapsEntry).join(",\n")}\n}[?variables.shape].orValue([])` },
      { name: "compared", expression: comparedMaps(contents) },
      { name: "strangeMembers", expression: strangeMembers },
      { name: "strangeMarks", expression: strangeMarks(marks) },
      ...shapes.map((shape, at) => ({ name: `strangeValues${at}`, expression: strangeValues(shape, marks) })),
      { name: "strangeValues", expression: valuesOfShape(shapes) },
    ],
    validations: [
      versionRule(operator, objects),
      appliedRule(operator, objects),
      refuseAll(operator, "variables.strangeMembers"),
      refuseAll(operator, "variables.strangeValues"),
    ],
  };
}

/** The API server merges the oldest managedFields entries under this name if there are too many. */
const mergedManager = "ancient-changes";

function refuseAll(operator: string, places: string): Validation {
  return {
    expression: `${places}.size() == 0`,
    messageExpression: [
      `${celText(`${operator} may not write `)} + ${places}.join(', ') + ' of ' + object.kind + ' ' + variables.name +`,
      "': its catalog does not contain this content. Next: if the operator was upgraded, apply the admission policies of its release. If a mutating webhook changes the object, exempt the object from the webhook'",
    ].join("\n"),
  };
}

/** Owners and finalizers control deletion, and the catalog sets none. */
export function unownedRules(operator: string): readonly Validation[] {
  return ["ownerReferences", "finalizers"].map((field) => {
    const of = (object: string) => `(${object} == null ? [] : ${object}.metadata.?${field}.orValue([]))`;
    return {
      expression: `request.operation in ['DELETE', 'CONNECT'] || ${of("object")} == ${of("oldObject")}`,
      messageExpression: `${celText(`${operator} may not change metadata.${field} of `)} + variables.name`,
    };
  });
}

/** Allows only the API versions that the catalog knows, because other versions have other fields. */
function versionRule(operator: string, objects: readonly PinnedObject[]): Validation {
  return {
    expression: `!(variables.target in ${celList(objects.map(targetOf))}) || variables.maps.size() > 0`,
    messageExpression: `${celText(`${operator} may not write `)} + variables.target + ' in version ' + object.apiVersion`,
  };
}

function appliedRule(operator: string, objects: readonly PinnedObject[]): Validation {
  const posted = objects.filter(({ isPosted }) => isPosted === true).map(targetOf);
  return {
    expression: [
      `request.operation != 'CREATE' || variables.maps.size() == 0 || variables.target in ${celKeys(posted)} ||`,
      "(variables.managersAfter.size() == 1 && variables.managersAfter[0].operation == 'Apply')",
    ].join("\n"),
    messageExpression: `${celText(`${operator} may create `)} + variables.target + ' only with server-side apply'`,
  };
}

/** Every object has the operator's marks, which are checked once for all shapes. */
function strangeMarks(marks: OwnMarks): string {
  const places = Object.entries(marks).flatMap(([part, fields], at) =>
    valueRules({ path: ["metadata", part], fields }, { at, varying: new Set() }),
  );
  return `variables.compared.size() == 0 ? [] : [${places.join(",\n")}].filter(place, place != '')`;
}

function strangeValues({ maps, varying }: ContentShape, marks: OwnMarks): string {
  const checked = (isChecked: (root: string | undefined) => boolean) =>
    maps.flatMap((part, at) => (isChecked(part.path[0]) ? valueRules(withoutMarks(part, marks), { at, varying }) : []));
  const metadata = checked((root) => root === "metadata");
  const content = checked((root) => root !== "metadata");
  return `([${metadata.join(",\n")}] +\n(variables.isPatched ? [] : [${content.join(",\n")}])).filter(place, place != '')`;
}

function withoutMarks({ path, fields }: CheckedMap, marks: OwnMarks): CheckedMap {
  if (path[0] !== "metadata") return { path, fields };
  const known: FieldsForm["fields"] = { ...marks.labels, ...marks.annotations };
  return { path, fields: Object.fromEntries(Object.entries(fields).filter(([key]) => known[key] === undefined)) };
}

/** Returns a chain of conditions, so that only the values of one shape are compared. */
function valuesOfShape(shapes: readonly ContentShape[]): string {
  const chain = shapes.map((_, at) => `variables.shape == ${at} ? variables.strangeValues${at} :`);
  return ["variables.strangeMarks + (", ...chain, "[])"].join("\n");
}

type ComparedPart = { readonly at: number; readonly varying: ContentShape["varying"] };

function valueRules({ path, fields }: CheckedMap, { at, varying }: ComparedPart): readonly string[] {
  const [after, before] = [`variables.compared[${at}].after`, `variables.compared[${at}].before`];
  return Object.entries(fields).flatMap(([key, { value }]) => {
    if (value.form === "fields") return [];
    const name = celKey(key);
    const place = placeOf(path, key);
    const old = `${before}[${name}]`;
    const list = `(${name} in ${before} && type(${old}) == type([]) ? ${old} : dyn([]))`;
    const check = varying.has(place)
      ? `${after}[${name}] == variables.constants[${celKey(place)}]`
      : celForm(value, `${after}[${name}]`, list);
    // A patch may change a declared label, but not the operator's marks.
    const patched = path[0] === "metadata" && !key.startsWith(annotationPrefix) ? "variables.isPatched || " : "";
    return [
      `${patched}!(${name} in ${after}) || (${name} in ${before} && ${old} == ${after}[${name}]) || (${check}) ? '' : ${celKey(place)}`,
    ];
  });
}

/** Only objects with our label may be pruned. */
export const deletesOwnObjects: Validation = {
  expression: [
    "request.operation != 'DELETE' ||",
    `(oldObject != null && oldObject.metadata.?labels[?${celText(managedByLabel.key)}].orValue('') == ${celText(managedByLabel.value)})`,
  ].join("\n"),
  messageExpression: `${celText(`${platform.name} may not delete `)} + variables.name + ': it does not have the label of the operator'`,
};
