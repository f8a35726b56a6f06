// What the console says of options that nobody set: each option of each profile with its default, from the declarations of the catalog.

import type { Profile } from "@virt/advisor";
import { profiles } from "@virt/catalog";
import { entriesOf, isMap, type Json, type JsonMap, member } from "@virt/engine";
import { optionSchemas } from "./generate/crd/options.ts";

type OptionDefault = {
  /** Null: there is none. */
  readonly default: Json;
  readonly derived?: NonNullable<Profile["derivedOptions"]>[string];
};

/** By profile: the options by their paths below `spec.options`. */
type OptionDefaults = Readonly<Record<string, Readonly<Record<string, OptionDefault>>>>;

/** The options of a profile as the console's form shows them, by profile. The names are those of the schema's keywords. */
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

/** All that the console's pages are built with. */
export type ConsoleOptions = { readonly defaults: OptionDefaults; readonly forms: OptionForms };

export async function readConsoleOptions(): Promise<ConsoleOptions> {
  const [defaults, forms] = await Promise.all([readOptionDefaults(), readOptionForms()]);
  return { defaults, forms };
}
