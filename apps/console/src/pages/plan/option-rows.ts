// The options that a plan is made with: those that were set, the defaults of others, and the values that the plan derives.

import type { Item, Json, VirtPlatformConfig } from "@virt/api";

/** `value` undefined: neither set, nor with a default, nor in the plan. `from`: where a value comes from that nobody set. */
export type OptionRow = {
  readonly name: string;
  readonly value: string | undefined;
  readonly isDefault: boolean;
  readonly from?: string;
};

/** `default` null: there is none. `derived`: how to find the value in a plan, and its source. */
export type KnownOption = { readonly default: Json; readonly derived?: ValueInPlan };

/** As profiles declare it: dotted fields of desired objects, and the option's value if a plan has one of them or none. */
type ValueInPlan = {
  readonly fields: readonly string[];
  readonly source: string;
  readonly present?: Json;
  readonly absent?: Json;
};

/** By the paths of a profile's options below `spec.options`. */
export type KnownOptions = Readonly<Record<string, KnownOption>>;

/** In the order of the catalog; what it does not know, from a newer release, comes last. */
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

/** As the option would set it; undefined: the plan does not tell. */
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
