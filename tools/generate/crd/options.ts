// The schema of spec.options: one member per profile with options, from the zod schemas of the profiles.

import { isMap, type Json, type JsonMap } from "@virt/objects";
import { z } from "zod";
import type { Schema } from "./schema.ts";

export type Described = { readonly name: string; readonly optionsKey?: string; readonly description: string };

export type OptionSchemas = Readonly<Record<string, Schema>>;

export async function optionSchemas(profiles: readonly Described[]): Promise<OptionSchemas> {
  const entries = profiles.flatMap(({ name, optionsKey }) => (optionsKey === undefined ? [] : [{ name, optionsKey }]));
  const schemas = await Promise.all(
    entries.map(async ({ name, optionsKey }) => [optionsKey, structural(await jsonSchema(name))] as const),
  );
  return Object.fromEntries(schemas);
}

async function jsonSchema(profile: string): Promise<JsonMap> {
  const file = `catalog/profiles/${profile}/options.ts`;
  const module: { readonly options?: unknown } = await import(new URL(`../../../${file}`, import.meta.url).href);
  if (!(module.options instanceof z.ZodType)) throw new Error(`${file} does not export what may be set, as options`);
  return z.toJSONSchema(module.options, { io: "input" }) as JsonMap;
}

/** Returns copies without defaults and validation, for options that the status records. */
export function record(schemas: OptionSchemas): OptionSchemas {
  return Object.fromEntries(Object.entries(schemas).map(([key, schema]) => [key, without(schema, validating)]));
}

const validating = ["default", "x-kubernetes-validations"];
const unknownToKubernetes = ["$schema", "propertyNames"];

// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
function structural(schema: JsonMap): Schema {
  const kept = without(schema, unknownToKubernetes);
  return mapSchemas(kept, (one) => (one["type"] === "integer" ? { ...one, format: "int32" } : one));
}

const without = (schema: Schema, keywords: readonly string[]): Schema =>
  mapSchemas(schema, (one) =>
    Object.fromEntries(Object.entries(one).filter(([keyword]) => !keywords.includes(keyword))),
  );

/** Adds defaults and ranges to descriptions, because `kubectl explain` does not show them. */
export function withLimits(schema: Schema): Schema {
  return mapSchemas(schema, (one) => {
    const { description } = one;
    const limits = [rangeText(one), defaultText(one)].filter((text) => text !== "");
    if (typeof description !== "string" || limits.length === 0) return one;
    return { ...one, description: [description, ...limits].join(" ") };
  });
}

function rangeText({ minimum, maximum, maxLength, maxItems }: Schema): string {
  if (typeof minimum === "number" && typeof maximum === "number") return `From ${minimum} to ${maximum}.`;
  if (typeof minimum === "number") return `At least ${minimum}.`;
  if (typeof maximum === "number") return `At most ${maximum}.`;
  if (typeof maxLength === "number") return `At most ${maxLength} characters.`;
  return typeof maxItems === "number" ? `At most ${maxItems} entries.` : "";
}

function defaultText({ default: value }: Schema): string {
  return value === undefined ? "" : `Default: ${typeof value === "string" ? value : JSON.stringify(value)}.`;
}

/** Applies `change` to a schema and all nested schemas. Treats the keys of `properties` as names, not as keywords. */
function mapSchemas(schema: Schema, change: (schema: Schema) => Schema): Schema {
  const inner = (value: Json | undefined) => (isMap(value) ? mapSchemas(value, change) : value);
  const { properties, items, additionalProperties, ...rest } = change(schema);
  return {
    ...rest,
    ...(isMap(properties) && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, inner(value)])),
    }),
    ...(items !== undefined && { items: inner(items) }),
    ...(additionalProperties !== undefined && { additionalProperties: inner(additionalProperties) }),
  };
}
