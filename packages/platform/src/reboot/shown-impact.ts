// The impact as pages, report and commands show it: figures and nodes, and no names of VMs or pods.

import type { Impact, ImpactGap, ImpactPool } from "@virt/api";

/** What is shown of an impact. */
export type ShownImpact = Omit<Impact, "assessedAt" | "blockers" | "stops" | "more" | "pools" | "notAssessed"> & {
  readonly pools: readonly Omit<ImpactPool, "order">[];
  readonly notAssessed: readonly Omit<ImpactGap, "message">[];
};

/** Without the lists that name VMs, and without answers of the server, which may. */
export function shownImpact(impact: Impact): ShownImpact {
  const { assessedAt: _at, blockers: _blockers, stops: _stops, more: _more, pools, notAssessed, ...shown } = impact;
  return {
    ...shown,
    pools: pools.map(({ order: _order, ...pool }) => pool),
    notAssessed: notAssessed.map(({ what, reason }) => ({ what, reason })),
  };
}
