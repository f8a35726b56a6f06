// Shows a pool as a progress bar and a grid of nodes with their phases, VMs and findings.

import { Alert, SearchInput, Title } from "@patternfly/react-core";
import type { NodeRolloutPhase } from "@virt/api";
import { equalJson } from "@virt/objects";
import { ageText, type FindingView, secondsSince } from "@virt/views";
import { memo, useMemo, useState } from "react";
import { useTimeText } from "../data/clock.ts";
import { layoutOf, mostTiles } from "../data/grid-layout.ts";
import type { GridNode, GridPool } from "../data/pool-grid.ts";
import { nodeStyles } from "../parts/labels.tsx";
import { ObjectLink } from "../parts/object-link.tsx";
import { strings } from "../strings.ts";
import { FindingList } from "./findings.tsx";
import { NodeSquares } from "./node-squares.tsx";
import { NodeVms, useVmsBefore } from "./node-vms.tsx";

const texts = strings.rollout;

type PoolGridProps = {
  readonly pool: GridPool;
  /** The time at which a node entered its phase, keyed by `<name> <phase>`. */
  readonly since: ReadonlyMap<string, string>;
  readonly findings: ReadonlyMap<string, readonly FindingView[]>;
};

const barParts = ["updated", "updating", "waiting", "degraded"] as const;

export function PoolGrid({ pool, since, findings }: PoolGridProps) {
  const { done, inHand: updating, ...rest } = pool.counts;
  const counts = { ...rest, updated: done, updating };
  const before = useVmsBefore(pool.nodes);
  const [filter, setFilter] = useState("");
  const layout = useMemo(() => layoutOf(pool.nodes, filter, findings), [pool.nodes, filter, findings]);
  const tileOf = (node: GridNode, place: TilePlace) => (
    <NodeTile
      key={node.name}
      node={node}
      place={place}
      since={since.get(`${node.name} ${node.phase}`)}
      vmsBefore={before.get(node.name)}
      findings={findings.get(node.name) ?? none}
    />
  );
  return (
    <section className="vc-section vc-pool" aria-labelledby={`pool-${pool.name}`} data-testid={`pool-${pool.name}`}>
      <Title headingLevel="h2" size="lg" id={`pool-${pool.name}`}>
        {texts.bar(pool.name, counts.updated, pool.nodes.length)}
      </Title>
      <div className="vc-bar" aria-hidden="true">
        {barParts.map((part) => (
          <i key={part} className={`vc-bar-${part}`} style={{ flexGrow: counts[part] }} />
        ))}
      </div>
      <p className="vc-quiet">
        {barParts.map((part) => `${counts[part]} ${texts[part]}`).join(", ")}
        {pool.target === "" ? "" : ` · ${texts.target}: ${pool.target}`}
      </p>
      <PoolAlerts pool={pool} />
      {pool.nodes.length > mostTiles ? (
        <SearchInput
          className="vc-node-filter"
          aria-label={texts.filter(pool.name)}
          placeholder={texts.filterNodes}
          value={filter}
          onChange={(_, value) => setFilter(value)}
          onClear={() => setFilter("")}
        />
      ) : null}
      {layout.kind === "squares" ? (
        <>
          {layout.active.length === 0 ? null : (
            <ul className="vc-grid" aria-label={texts.active(pool.name)}>
              {layout.active.map((node) => tileOf(node, "active"))}
            </ul>
          )}
          {layout.moreActive === 0 ? null : <p>{texts.moreActive(layout.moreActive)}</p>}
          <NodeSquares pool={pool.name} nodes={layout.nodes} details={(node) => tileOf(node, "details")} />
        </>
      ) : layout.nodes.length === 0 ? (
        <p>{texts.noNodeFits}</p>
      ) : (
        <ul className="vc-grid" aria-label={texts.grid(pool.name)}>
          {layout.nodes.map((node) => tileOf(node, "grid"))}
        </ul>
      )}
    </section>
  );
}

export function PoolAlerts({ pool }: { readonly pool: GridPool }) {
  return (
    <>
      {pool.isPaused ? <Alert isInline variant="warning" title={texts.pausedPool(pool.name)} /> : null}
      {pool.degraded.length === 0 ? null : (
        <Alert isInline variant="danger" title={texts.degradedPool(pool.name)}>
          {pool.degraded.join(" ")}
        </Alert>
      )}
    </>
  );
}

const none: readonly FindingView[] = [];

/** Where a tile appears. In `grid`, it is the only view of the node. In `active` and `details`, the node is also a square. */
type TilePlace = "grid" | "active" | "details";

type NodeTileProps = {
  readonly place: TilePlace;
  readonly node: GridNode;
  readonly since: string | undefined;
  readonly vmsBefore: number | undefined;
  readonly findings: readonly FindingView[];
};

const inHand: ReadonlySet<NodeRolloutPhase> = new Set(["Draining", "Applying", "Rebooting", "Uncordoning"]);

/** Memoized, because a pool can have hundreds of tiles. */
const NodeTile = memo(function NodeTile({ node, place, since, vmsBefore, findings }: NodeTileProps) {
  const isWide = findings.length > 0 || node.leaving.length > 0;
  const kind = `vc-node vc-node-${node.phase.toLowerCase()}${isWide ? " vc-node-wide" : ""}`;
  return (
    <li
      className={kind}
      {...(place === "grid" && { "data-node": node.name, "data-phase": node.phase, "data-vms": node.vms })}
    >
      <span className="vc-node-name">
        <ObjectLink kind="Node" name={node.name} />
      </span>
      <NodePhase phase={node.phase} since={since} />
      {node.step === undefined ? null : <span className="vc-quiet">{texts.steps[node.step] ?? node.step}</span>}
      <NodeVms node={node} before={vmsBefore} />
      {node.message === "" || node.phase !== "Degraded" ? null : <span>{node.message}</span>}
      <FindingList findings={findings} />
    </li>
  );
}, showsTheSame);

function showsTheSame(before: NodeTileProps, next: NodeTileProps): boolean {
  return (
    before.since === next.since &&
    before.vmsBefore === next.vmsBefore &&
    equalJson(before.node, next.node) &&
    equalJson(before.findings, next.findings)
  );
}

type NodePhaseProps = { readonly phase: NodeRolloutPhase; readonly since: string | undefined };

function NodePhase({ phase, since }: NodePhaseProps) {
  const { icon: Icon } = nodeStyles[phase];
  const age = useTimeText((now) => {
    const seconds = inHand.has(phase) ? secondsSince(since, now) : undefined;
    return seconds === undefined ? "" : ` ${ageText(seconds)}`;
  });
  return (
    <span>
      <Icon /> {texts.phases[phase]}
      {age}
    </span>
  );
}
