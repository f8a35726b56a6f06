// What the console says of options that nobody set: each option of each profile with its default, from the declarations of the catalog.

import type { Profile } from "@virt/advisor";
import { profiles } from "@virt/catalog";
import { entriesOf, isMap, type Json, member } from "@virt/engine";
import { optionSchemas } from "./generate/crd/options.ts";

type OptionDefault = {
  /** Null: there is none. */
  readonly default: Json;
  readonly derived?: NonNullable<Profile["derivedOptions"]>[string];
};

/** By profile: the options by their paths below `spec.options`. */
export type OptionDefaults = Readonly<Record<string, Readonly<Record<string, OptionDefault>>>>;

export async function readOptionDefaults(): Promise<OptionDefaults> {
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
