// Lists the options of a plan: set values, defaults, and values that the plan derives.

import type { Item, Json, VirtPlatformConfig } from "@virt/api";

/** An option of a plan. `value` is undefined if the option has no value. `from` names the source of a derived value. */
export type OptionRow = {
  readonly name: string;
  readonly value: string | undefined;
  readonly isDefault: boolean;
  readonly from?: string;
};

/** `default` is null if the option has no default. `derived` tells where to find the derived value in a plan. */
export type KnownOption = { readonly default: Json; readonly derived?: ValueInPlan };

/**
 * Where a derived value appears in a plan: dotted fields of the desired objects, and the option's value if any of these
 * fields is present or none is.
 */
type ValueInPlan = {
  readonly fields: readonly string[];
  readonly source: string;
  readonly present?: Json;
  readonly absent?: Json;
};

export type KnownOptions = Readonly<Record<string, KnownOption>>;

/** Returns options in catalog order. Options from newer releases, which the console does not know, come last. */
export function optionRows({ spec, status }: VirtPlatformConfig, known: KnownOptions = {}): readonly OptionRow[] {
  const given = new Map<string, string>(
    Object.entries(status?.appliedOptions ?? spec.options ?? {}).flatMap(([group, values]) =>
      Object.entries(values).map(([key, value]) => [`${group}.${key}`, JSON.stringify(value)] as const),
    ),
  );
  const names = [...new Set([...Object.keys(known), ...given.keys()])];
  return names.map((name) => {
    const { default: byDefault, derived } = known[name] ?? { default: null };
    const inPlan = derived && plannedValue(status?.items ?? [], derived);
    if (derived !== undefined && inPlan !== undefined && !given.has(name))
      return { name, value: inPlan, isDefault: true, from: derived.source };
    const fallback = JSON.stringify(byDefault);
    const value = given.get(name) ?? (fallback === "null" ? undefined : fallback);
    return { name, value, isDefault: value === undefined || value === fallback };
  });
}

/** Returns the value as JSON, or undefined if the plan does not contain it. */
function plannedValue(items: readonly Item[], { fields, present, absent }: ValueInPlan): string | undefined {
  if (items.length === 0) return undefined;
  const values = items.flatMap(({ desiredState }) => fields.map((field) => valueAt(desiredState, field)));
  const value = values.find((one) => one !== undefined);
  const option = value === undefined ? absent : (present ?? value);
  return option === undefined ? undefined : JSON.stringify(option);
}

function valueAt(object: unknown, field: string): unknown {
  const below = (map: unknown, key: string) =>
    typeof map === "object" && map !== null ? (map as Record<string, unknown>)[key] : undefined;
  return field.split(".").reduce(below, object);
}
