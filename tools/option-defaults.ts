// What the console says of options that nobody set: each option of each profile with its default, from the declarations of the catalog.

import { profiles } from "@virt/catalog";
import { entriesOf, isMap, type Json, member } from "@virt/engine";
import { optionSchemas } from "./generate/crd/options.ts";

/** By profile: the options by their paths below `spec.options`. `null`: there is no default. */
export type OptionDefaults = Readonly<Record<string, Readonly<Record<string, Json>>>>;

export async function readOptionDefaults(): Promise<OptionDefaults> {
  const schemas = await optionSchemas(profiles);
  return Object.fromEntries(
    profiles.map(({ name, optionsKey }) => {
      const properties = optionsKey === undefined ? undefined : schemas[optionsKey]?.["properties"];
      const options = isMap(properties) ? entriesOf(properties) : [];
      return [
        name,
        Object.fromEntries(
          options.map(([option, schema]) => [`${optionsKey}.${option}`, member(schema, "default") ?? null]),
        ),
      ];
    }),
  );
}
