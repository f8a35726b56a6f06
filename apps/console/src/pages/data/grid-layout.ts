// Lays out a pool's nodes. Small pools use tiles. Large pools use squares, plus tiles for nodes that need attention.

import type { NodeRolloutPhase } from "@virt/api";
import type { GridNode } from "./pool-grid.ts";

/** More tiles would push the content below them off the screen. */
export const mostTiles = 60;
/** The maximum number of tiles in a large pool. All other nodes are squares. */
const mostActiveTiles = 12;

export type GridLayout =
  | { readonly kind: "tiles"; readonly nodes: readonly GridNode[] }
  | {
      readonly kind: "squares";
      readonly nodes: readonly GridNode[];
      /** The nodes shown as tiles above the squares: nodes with findings first, then by phase. */
      readonly active: readonly GridNode[];
      /** The number of active nodes without a tile. */
      readonly moreActive: number;
    };

/** The filter matches substrings of node names. `blocked` contains the nodes with findings. */
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
