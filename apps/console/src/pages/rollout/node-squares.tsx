// Shows the nodes of a large pool as squares with a single tab stop. Details of the selected node appear below.

import type { NodeRolloutPhase } from "@virt/api";
import { type KeyboardEvent, memo, type ReactNode, useId, useState } from "react";
import type { GridNode } from "../data/pool-grid.ts";
import { nodeStyles } from "../parts/labels.tsx";
import { strings } from "../strings.ts";

const texts = strings.rollout;

type NodeSquaresProps = {
  readonly pool: string;
  readonly nodes: readonly GridNode[];
  readonly details: (node: GridNode) => ReactNode;
};

const steps: Readonly<Record<string, number>> = {
  ArrowRight: 1,
  ArrowDown: 1,
  ArrowLeft: -1,
  ArrowUp: -1,
  PageDown: 20,
  PageUp: -20,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

export function NodeSquares({ pool, nodes, details }: NodeSquaresProps) {
  const id = useId();
  const [chosen, setChosen] = useState("");
  const at = nodes.findIndex(({ name }) => name === chosen);
  const node = nodes[at];
  const move = (event: KeyboardEvent) => {
    const by = steps[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const isFirstStep = at < 0 && Number.isFinite(by);
    const next = isFirstStep ? 0 : Math.min(nodes.length - 1, Math.max(0, at + by));
    setChosen(nodes[next]?.name ?? "");
  };
  return (
    <>
      <p className="vc-quiet">{texts.squaresText}</p>
      <div
        role="listbox"
        tabIndex={0}
        className="vc-squares"
        aria-label={texts.grid(pool)}
        {...(node !== undefined && { "aria-activedescendant": `${id}${node.name}` })}
        onKeyDown={move}
        onClick={({ target }) => {
          const square = target instanceof Element ? target.closest("[data-node]") : null;
          if (square !== null) setChosen(square.getAttribute("data-node") ?? "");
        }}
      >
        {nodes.map(({ name, phase, vms }) => (
          <NodeSquare key={name} id={`${id}${name}`} name={name} phase={phase} vms={vms} isChosen={name === chosen} />
        ))}
      </div>
      <div aria-live="polite">
        {node === undefined ? null : (
          <ul className="vc-grid" aria-label={texts.chosen}>
            {details(node)}
          </ul>
        )}
      </div>
    </>
  );
}

type NodeSquareProps = {
  readonly id: string;
  readonly name: string;
  readonly phase: NodeRolloutPhase;
  readonly vms: number | undefined;
  readonly isChosen: boolean;
};

/** Takes only primitive props, so that `memo` re-renders only changed squares. */
const NodeSquare = memo(function NodeSquare({ id, name, phase, vms, isChosen }: NodeSquareProps) {
  const { icon: Icon } = nodeStyles[phase];
  const text = texts.square(name, texts.phases[phase], vms);
  return (
    <span
      role="option"
      id={id}
      aria-selected={isChosen}
      aria-label={text}
      title={text}
      className={`vc-square vc-node-${phase.toLowerCase()}`}
      data-node={name}
      data-phase={phase}
      data-vms={vms}
    >
      <Icon />
    </span>
  );
});
