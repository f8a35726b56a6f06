// Builds the grid of each pool's nodes, with update phases and VMs, from nodes, pools, MachineConfigNodes and VMs.

import type { Json, KubeObject, NodeRolloutPhase } from "@virt/api";
import { listReportsOnce, poolOfNode, readMachineConfigNodeFact, readNodeFact } from "@virt/cluster";
import { countPhases, type NodeCounts, phaseForChanges, stepOfNode } from "@virt/impact";
import { asList, asText, at, member, oncePer } from "@virt/objects";

export type LeavingVm = {
  readonly name: string;
  /** The node that the VM is migrating to. Undefined if it is not migrating. */
  readonly target: string | undefined;
  readonly hasFailed: boolean;
};

export type GridNode = {
  readonly name: string;
  readonly phase: NodeRolloutPhase;
  readonly step: string | undefined;
  readonly message: string;
  /** The number of VMs. Undefined if the user may not list VMs. */
  readonly vms: number | undefined;
  /** The VMs that are still on a draining node. Empty for other nodes. */
  readonly leaving: readonly LeavingVm[];
};

export type GridPool = {
  readonly name: string;
  readonly isPaused: boolean;
  /** Why the pool is degraded, from its status. Empty if it is not degraded. */
  readonly degraded: readonly string[];
  readonly target: string;
  readonly nodes: readonly GridNode[];
  readonly counts: NodeCounts;
};

export type GridObjects = {
  readonly nodes: readonly KubeObject[];
  readonly pools: readonly KubeObject[];
  readonly machineConfigNodes: readonly KubeObject[];
  readonly vms: readonly KubeObject[] | undefined;
  /** Pools that have not rendered the plan's MachineConfig yet, so none of their nodes count as updated. */
  readonly unrendered: ReadonlySet<string>;
};

/** Cached per node, because a cluster can have thousands of nodes and only a few change at a time. */
const nodeFactOf = oncePer(readNodeFact);
const machineConfigNodeFactOf = oncePer(readMachineConfigNodeFact);

/** Builds the grid, with pools and nodes sorted by name. Omits pools without nodes. */
export function gridOf({ nodes, pools, machineConfigNodes, vms, unrendered }: GridObjects): readonly GridPool[] {
  const onNodes =
    vms === undefined
      ? undefined
      : Map.groupBy(
          vms.filter((vm) => isOnNode(vm)),
          (vm) => nodeOf(vm),
        );
  const reports = new Map(machineConfigNodes.map((object) => [object.metadata.name, machineConfigNodeFactOf(object)]));
  const members = Map.groupBy(nodes.map(nodeFactOf), ({ labels }) => poolOfNode(labels, pools));
  return pools
    .map((pool) => {
      const target = asText(at(pool, "spec", "configuration", "name")) ?? "";
      const isRendered = !unrendered.has(pool.metadata.name);
      const own = (members.get(pool.metadata.name) ?? []).toSorted((left, right) =>
        compareNames(left.name, right.name),
      );
      const phases = own.map((node) => phaseForChanges(node, { target, isRendered }, reports.get(node.name)));
      return {
        name: pool.metadata.name,
        counts: countPhases(phases, { object: pool, isRendered }),
        isPaused: at(pool, "spec", "paused") === true,
        degraded: degradedMessages(pool),
        target,
        nodes: own.map((node): GridNode => {
          const report = reports.get(node.name);
          const phase = phaseForChanges(node, { target, isRendered }, report);
          const here = onNodes?.get(node.name) ?? [];
          return {
            name: node.name,
            phase,
            step: stepOfNode(node, report),
            message: node.reason,
            vms: onNodes === undefined ? undefined : here.length,
            leaving: phase === "Draining" ? here.map(readLeaving).toSorted(compareLeaving) : [],
          };
        }),
      };
    })
    .filter(({ nodes: own }) => own.length > 0)
    .toSorted((left, right) => compareNames(left.name, right.name));
}

const degradedTypes: ReadonlySet<string> = new Set(["Degraded", "NodeDegraded", "RenderDegraded"]);

function degradedMessages(pool: KubeObject): readonly string[] {
  const found = asList(at(pool, "status", "conditions")).filter(
    (condition) => degradedTypes.has(asText(member(condition, "type")) ?? "") && member(condition, "status") === "True",
  );
  const said = found.map((condition) => asText(member(condition, "message")) || asText(member(condition, "reason")));
  return [...new Set(said.map((text) => listReportsOnce(text ?? "")))];
}

const isOnNode = oncePer((vm: KubeObject): boolean => {
  const phase = asText(at(vm, "status", "phase"));
  return nodeOf(vm) !== "" && phase !== "Succeeded" && phase !== "Failed";
});

const nodeOf = oncePer((vm: KubeObject): string => asText(at(vm, "status", "nodeName")) ?? "");

function readLeaving({ metadata, ...vm }: KubeObject): LeavingVm {
  const migration: Json | undefined = at(vm, "status", "migrationState");
  const isOpen = migration !== undefined && member(migration, "endTimestamp") === undefined;
  return {
    name: `${metadata.namespace ?? ""}/${metadata.name}`,
    target: isOpen ? asText(member(migration, "targetNode")) : undefined,
    hasFailed: !isOpen && member(migration, "failed") === true,
  };
}

function compareLeaving(left: LeavingVm, right: LeavingVm): number {
  return Number(right.target !== undefined) - Number(left.target !== undefined) || compareNames(left.name, right.name);
}

const byNumber = new Intl.Collator("en", { numeric: true });

function compareNames(left: string, right: string): number {
  return byNumber.compare(left, right);
}
