// How far the HyperConverged may raise what the descheduler evicts at a time: whoever may edit the one shall not empty nodes through the other.

import { contentForms, type FieldForm } from "@virt/api";

/** The most that people may ask for by option, and so the most that follows from a value of the HyperConverged. */
export const mostEvictions = { total: 1000, node: 100 } as const;

const { fields, integer, kept, optional } = contentForms;

/** The form of `spec.evictionLimits`. */
export const evictionLimitsForm: FieldForm = kept(
  fields({ total: optional(integer(1, mostEvictions.total)), node: optional(integer(1, mostEvictions.node)) }),
);

export type EvictionLimit = keyof typeof mostEvictions;

export function boundedLimit(field: EvictionLimit, value: number): number {
  return Math.min(value, mostEvictions[field]);
}

/** For a limit that would be above its bound: the field, the bound, and the value that asks for more. */
export function boundWarning(
  field: EvictionLimit,
  { wanted, source, value }: { readonly wanted: number; readonly source: string; readonly value: number },
): readonly string[] {
  if (wanted <= mostEvictions[field]) return [];
  return [`evictionLimits.${field} is limited to ${mostEvictions[field]}: HyperConverged ${source} is ${value}`];
}
