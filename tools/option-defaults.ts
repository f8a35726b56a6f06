// Reads each profile's options and defaults from the catalog, for the console's build.

import type { Profile } from "@virt/advisor";
import { profiles } from "@virt/catalog";
import { entriesOf, isMap, type Json, type JsonMap, member } from "@virt/objects";
import { optionSchemas } from "./generate/crd/options.ts";

type OptionDefault = {
  /** Null if there is no default. */
  readonly default: Json;
  readonly derived?: NonNullable<Profile["derivedOptions"]>[string];
};

type OptionDefaults = Readonly<Record<string, Readonly<Record<string, OptionDefault>>>>;

/** The options of each profile for the console's form. Member names are those of JSON Schema. */
type OptionForms = Readonly<Record<string, { readonly key: string; readonly options: readonly JsonMap[] }>>;

async function readOptionForms(): Promise<OptionForms> {
  const schemas = await optionSchemas(profiles);
  const forms = profiles.flatMap(({ name, optionsKey }) => {
    const properties = optionsKey === undefined ? undefined : schemas[optionsKey]?.["properties"];
    if (optionsKey === undefined || !isMap(properties)) return [];
    const options = entriesOf(properties).map(([option, schema]) => ({ name: option, ...pick(schema, formKeywords) }));
    return [[name, { key: optionsKey, options }] as const];
  });
  return Object.fromEntries(forms);
}

const formKeywords = ["type", "description", "default", "enum", "minimum", "maximum"];

function pick(schema: Json, keywords: readonly string[]): JsonMap {
  const kept = isMap(schema) ? entriesOf(schema).filter(([keyword]) => keywords.includes(keyword)) : [];
  return Object.fromEntries(kept);
}

async function readOptionDefaults(): Promise<OptionDefaults> {
  const schemas = await optionSchemas(profiles);
  return Object.fromEntries(
    profiles.map(({ name, optionsKey, derivedOptions = {} }) => {
      const properties = optionsKey === undefined ? undefined : schemas[optionsKey]?.["properties"];
      const options = isMap(properties) ? entriesOf(properties) : [];
      return [
        name,
        Object.fromEntries(
          options.map(([option, schema]) => {
            const derived = derivedOptions[option];
            return [
              `${optionsKey}.${option}`,
              { default: member(schema, "default") ?? null, ...(derived && { derived }) },
            ];
          }),
        ),
      ];
    }),
  );
}

/** The options of each profile whose values are strings, as dotted paths. Includes members of objects. */
type TextOptions = Readonly<Record<string, readonly string[]>>;

async function readTextOptions(): Promise<TextOptions> {
  const schemas = await optionSchemas(profiles);
  const texts = profiles.map(
    ({ name, optionsKey }) => [name, optionsKey ? textPaths(schemas[optionsKey]) : []] as const,
  );
  return Object.fromEntries(texts);
}

function textPaths(schema: Json | undefined): readonly string[] {
  const properties = member(schema, "properties");
  if (!isMap(properties)) return [];
  return entriesOf(properties).flatMap(([name, inner]) =>
    member(inner, "type") === "string" ? [name] : textPaths(inner).map((path) => `${name}.${path}`),
  );
}

export type ConsoleOptions = {
  readonly defaults: OptionDefaults;
  readonly forms: OptionForms;
  readonly texts: TextOptions;
};

export async function readConsoleOptions(): Promise<ConsoleOptions> {
  const [defaults, forms, texts] = await Promise.all([readOptionDefaults(), readOptionForms(), readTextOptions()]);
  return { defaults, forms, texts };
}
