// The options that a plan is made with: what was set, and the defaults of what was not.

import type { Json, VirtPlatformConfig } from "@virt/api";

/** `value` undefined: neither set nor with a default of its own. */
export type OptionRow = { readonly name: string; readonly value: string | undefined; readonly isDefault: boolean };

/** By the paths of a profile's options below `spec.options`; `null`: there is no default. */
export type KnownOptions = Readonly<Record<string, Json>>;

/** In the order of the catalog; what it does not know, from a newer release, comes last. */
export function optionRows({ spec, status }: VirtPlatformConfig, known: KnownOptions = {}): readonly OptionRow[] {
  const given = new Map<string, string>(
    Object.entries(status?.appliedOptions ?? spec.options ?? {}).flatMap(([group, values]) =>
      Object.entries(values).map(([key, value]) => [`${group}.${key}`, JSON.stringify(value)] as const),
    ),
  );
  const names = [...new Set([...Object.keys(known), ...given.keys()])];
  return names.map((name) => {
    const fallback = JSON.stringify(known[name] ?? null);
    const value = given.get(name) ?? (fallback === "null" ? undefined : fallback);
    return { name, value, isDefault: value === undefined || value === fallback };
  });
}
