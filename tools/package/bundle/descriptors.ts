// Generates the OpenShift console's form descriptors of a VirtPlatformConfig from the CRD's schema.

import { asList, asText, at, entriesOf, isMap, type Json, type JsonMap } from "@virt/objects";

export type Descriptor = {
  readonly path: string;
  readonly displayName: string;
  readonly description: string;
  readonly "x-descriptors"?: readonly string[];
};

/** Describes nested fields for `spec` only, because the console shows only the top level of `status`. */
export function descriptorsOf(definition: JsonMap, part: "spec" | "status"): readonly Descriptor[] {
  return fieldsOf(at(schemaOf(definition), "properties", part), part === "spec").map(([path, field]) =>
    descriptor(path, field),
  );
}

export function schemaOf(definition: JsonMap): Json | undefined {
  return at(asList(at(definition, "spec", "versions"))[0], "schema", "openAPIV3Schema");
}

function fieldsOf(schema: Json | undefined, isDeep: boolean): readonly (readonly [string, JsonMap])[] {
  const properties = at(schema, "properties");
  return !isMap(properties)
    ? []
    : entriesOf(properties).flatMap(([name, field]) => {
        if (!isMap(field)) return [];
        const inner = isDeep ? fieldsOf(field, isDeep) : [];
        return [[name, field] as const, ...inner.map(([path, leaf]) => [`${name}.${path}`, leaf] as const)];
      });
}

function descriptor(path: string, field: JsonMap): Descriptor {
  const hints = hintsOf(path, field);
  return {
    path,
    displayName: spoken(path.slice(path.lastIndexOf(".") + 1)),
    description: asText(at(field, "description")) ?? "",
    ...(hints.length > 0 && { "x-descriptors": hints }),
  };
}

const form = "urn:alm:descriptor:com.tectonic.ui";

/** The console has no widgets for lists and objects. */
const widgets: Readonly<Record<string, string>> = { boolean: "booleanSwitch", integer: "number", string: "text" };

function hintsOf(path: string, field: JsonMap): readonly string[] {
  if (path === "conditions") return ["urn:alm:descriptor:io.kubernetes.conditions"];
  if (path === "phase") return ["urn:alm:descriptor:io.kubernetes.phase"];
  const choices = asList(at(field, "enum")).flatMap((choice) => asText(choice) ?? []);
  if (choices.length > 0) return choices.map((choice) => `${form}:select:${choice}`);
  const widget = widgets[asText(at(field, "type")) ?? ""];
  return widget === undefined ? [] : [`${form}:${widget}`];
}

/** enablePSIMetrics → Enable PSI Metrics */
function spoken(name: string): string {
  const words = name.replaceAll(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
