// How much a plan disturbs: as much as its worst item.

import { type Item, type Severity, severities } from "@virt/api";

export function worstOf(items: readonly Pick<Item, "impactSeverity">[], otherwise: Severity): Severity {
  if (items.length === 0) return otherwise;
  return severities.findLast((severity) => items.some(({ impactSeverity }) => impactSeverity === severity)) ?? "Low";
}
