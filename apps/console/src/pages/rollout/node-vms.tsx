// Shows the VMs on a node as dots. On a draining node, hollow dots are VMs that have left; the others are named.

import { ArrowRightIcon, ExclamationTriangleIcon } from "@patternfly/react-icons";
import { useEffect, useState } from "react";
import type { GridNode, LeavingVm } from "../data/pool-grid.ts";
import { ObjectLink } from "../parts/object-link.tsx";
import { strings } from "../strings.ts";

const texts = strings.rollout;
const mostDots = 24;
const mostNames = 8;

/** Returns the VM count of each node before its drain. Omits nodes that the page has only seen draining. */
export function useVmsBefore(nodes: readonly GridNode[]): ReadonlyMap<string, number> {
  const [before, setBefore] = useState<ReadonlyMap<string, number>>(new Map());
  useEffect(() => {
    setBefore((known) => {
      const next = nodes.map(
        ({ name, phase, vms = 0 }) => [name, phase === "Draining" ? Math.max(known.get(name) ?? 0, vms) : vms] as const,
      );
      const isKnown = next.length === known.size && next.every(([name, vms]) => known.get(name) === vms);
      return isKnown ? known : new Map(next);
    });
  }, [nodes]);
  return before;
}

type NodeVmsProps = { readonly node: GridNode; readonly before: number | undefined };

export function NodeVms({ node, before = 0 }: NodeVmsProps) {
  if (node.vms === undefined) return null;
  const { vms } = node;
  const isDraining = node.phase === "Draining";
  const all = isDraining ? Math.max(before, vms) : vms;
  return (
    <div className="vc-node-vms">
      <span className="vc-dots" aria-hidden="true">
        {Array.from({ length: Math.min(all, mostDots) }, (_, at) => (
          <i key={at} {...(at >= vms && { className: "vc-dot-left" })} />
        ))}
      </span>
      {isDraining ? texts.vmsLeft(vms, all) : texts.vms(vms)}
      {node.leaving.length === 0 ? null : (
        <ul className="vc-leaving">
          {node.leaving.slice(0, mostNames).map((vm) => (
            <li key={vm.name}>
              <LeavingText vm={vm} />
            </li>
          ))}
          {node.leaving.length > mostNames ? <li>{texts.moreVms(node.leaving.length - mostNames)}</li> : null}
        </ul>
      )}
    </div>
  );
}

function LeavingText({ vm: { name, target, hasFailed } }: { readonly vm: LeavingVm }) {
  const [namespace = "", own = ""] = name.split("/");
  const link = <ObjectLink kind="VirtualMachineInstance" namespace={namespace} name={own} />;
  if (target !== undefined)
    return (
      <>
        {link} <ArrowRightIcon /> {texts.movesTo(target)}
      </>
    );
  if (!hasFailed) return link;
  return (
    <>
      {link} <ExclamationTriangleIcon /> {texts.migrationFailed}
    </>
  );
}
