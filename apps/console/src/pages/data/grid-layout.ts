// How the nodes of a pool are laid out: a tile each while they fit on a page, else a square each, and tiles for those that need attention.

import type { NodeRolloutPhase } from "@virt/api";
import type { GridNode } from "./pool-grid.ts";

/** More tiles than these push everything below them out of sight. */
export const mostTiles = 60;
/** Of a pool that updates many nodes at a time. The others are squares. */
const mostActiveTiles = 12;

export type GridLayout =
  | { readonly kind: "tiles"; readonly nodes: readonly GridNode[] }
  | {
      readonly kind: "squares";
      readonly nodes: readonly GridNode[];
      /** Shown as tiles above the squares: those with findings first, then by phase. */
      readonly active: readonly GridNode[];
      /** Active nodes that are squares only. */
      readonly moreActive: number;
    };

/** The filter is part of a name; without one all nodes match. `blocked` has the nodes with findings. */
export function layoutOf(
  nodes: readonly GridNode[],
  filter: string,
  blocked: Pick<ReadonlySet<string>, "has">,
): GridLayout {
  const wanted = filter.trim().toLowerCase();
  const matching = nodes.filter(({ name }) => name.toLowerCase().includes(wanted));
  if (matching.length <= mostTiles) return { kind: "tiles", nodes: matching };
  const urgency = (node: GridNode) => (blocked.has(node.name) ? 0 : activePhases.indexOf(node.phase) + 1);
  const active = matching
    .filter((node) => blocked.has(node.name) || activePhases.includes(node.phase))
    .toSorted((left, right) => urgency(left) - urgency(right));
  return {
    kind: "squares",
    nodes: matching,
    active: active.slice(0, mostActiveTiles),
    moreActive: Math.max(0, active.length - mostActiveTiles),
  };
}

const activePhases: readonly NodeRolloutPhase[] = ["Degraded", "Draining", "Applying", "Rebooting", "Uncordoning"];
