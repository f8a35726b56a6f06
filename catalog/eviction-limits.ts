// Caps the eviction limits that are derived from the HyperConverged, so that users who can edit it cannot empty nodes.

import { contentForms, type FieldForm } from "@virt/api";

/** The maximum for both options and derived values. */
export const mostEvictions = { total: 1000, node: 100 } as const;

const { fields, integer, kept, optional } = contentForms;

export const evictionLimitsForm: FieldForm = kept(
  fields({ total: optional(integer(1, mostEvictions.total)), node: optional(integer(1, mostEvictions.node)) }),
);

export type EvictionLimit = keyof typeof mostEvictions;

export function boundedLimit(field: EvictionLimit, value: number): number {
  return Math.min(value, mostEvictions[field]);
}

export function boundWarning(
  field: EvictionLimit,
  { wanted, source, value }: { readonly wanted: number; readonly source: string; readonly value: number },
): readonly string[] {
  if (wanted <= mostEvictions[field]) return [];
  return [`evictionLimits.${field} is limited to ${mostEvictions[field]}: HyperConverged ${source} is ${value}`];
}
