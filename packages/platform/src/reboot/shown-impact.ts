import type { Impact, ImpactGap, ImpactPool } from "@virt/api";

/** An impact for the report, without parts that are long or change often. */
export type ShownImpact = Omit<Impact, "assessedAt" | "blockers" | "stops" | "more" | "pools" | "notAssessed"> & {
  readonly pools: readonly Omit<ImpactPool, "order">[];
  readonly notAssessed: readonly Omit<ImpactGap, "message">[];
};

/** Removes the lists that name VMs, and server messages, which may also name them. */
export function shownImpact(impact: Impact): ShownImpact {
  const { assessedAt: _at, blockers: _blockers, stops: _stops, more: _more, pools, notAssessed, ...shown } = impact;
  return {
    ...shown,
    pools: pools.map(({ order: _order, ...pool }) => pool),
    notAssessed: notAssessed.map(({ what, reason }) => ({ what, reason })),
  };
}
