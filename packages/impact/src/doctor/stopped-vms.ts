// VMs that ran on the nodes of a rollout and stopped during it. Nobody but a person starts them again.

import type { RolloutFinding, RolloutStatus, StoppedVms } from "@virt/api";
import { compareUtf8 } from "@virt/engine";
import { assessedOr, foreignText } from "../assessed.ts";
import { isEnded, isOnNode } from "../vms.ts";
import type { DoctorFacts, PoolView } from "./rollout-view.ts";
import { isDnsName } from "./text-templates.ts";

type VmSources = Pick<DoctorFacts, "vms" | "before" | "ranVms">;

/**
 * Returns the VirtualMachines that were seen on the nodes of the rollout since it began, as namespace/name. After a restart of the process
 * the status tells of those that blocked it and of those that have stopped.
 */
export function seeRunningVms({ vms, before, ranVms }: VmSources, pools: readonly PoolView[]): ReadonlySet<string> {
  const nodes = new Set(pools.flatMap((pool) => pool.nodes.map(({ node }) => node.name)));
  const here = assessedOr(vms, []).filter((vm) => isOnNode(vm) && nodes.has(vm.node));
  return new Set([
    ...(ranVms ?? []),
    ...(before?.findings ?? []).flatMap(blockingVm),
    ...statedVms(before),
    ...here.flatMap(({ namespace, controller }) =>
      controller?.kind === "VirtualMachine" ? [`${namespace}/${controller.name}`] : [],
    ),
  ]);
}

function statedVms(before: RolloutStatus | undefined): readonly string[] {
  return (before?.stoppedVms?.listed ?? []).map(({ namespace, name }) => `${namespace}/${name}`);
}

/** A VM is named in a finding if it holds a drain, so that people stop it. */
function blockingVm({ object }: RolloutFinding): readonly string[] {
  if (object?.kind !== "VirtualMachineInstance" || object.name === "*") return [];
  return [`${object.namespace ?? ""}/${object.name}`];
}

/** Returns those that do not run now, in their order. While VMs cannot be listed, what the status says stays. */
export function findStoppedVms(ran: ReadonlySet<string>, { vms, before }: VmSources): readonly string[] {
  if (!vms.isAssessed) return statedVms(before);
  const running = new Set(
    vms.value
      .filter((vm) => !isEnded(vm))
      .map(({ namespace, name, controller }) => `${namespace}/${controller?.name ?? name}`),
  );
  return [...ran].filter((key) => !running.has(key)).toSorted(compareUtf8);
}

const mostListed = 20;

/** Returns the rollout with these stopped VMs, as namespace/name. They are counted only where names are not shown. */
export function withStoppedVms(
  { stoppedVms: _before, ...rollout }: RolloutStatus,
  stopped: readonly string[],
  areVmsNamed: boolean,
): RolloutStatus {
  if (stopped.length === 0) return rollout;
  const listed = (areVmsNamed ? stopped.slice(0, mostListed) : []).map((key) => {
    const [namespace = "", name = ""] = key.split("/", 2);
    return { namespace: foreignText(namespace, 253), name: foreignText(name, 253) };
  });
  return { ...rollout, stoppedVms: { total: stopped.length, listed } };
}

/** Returns such as `2 VMs were stopped and have not restarted`. */
export function stoppedText({ total }: StoppedVms): string {
  return total === 1 ? "1 VM was stopped and has not restarted" : `${total} VMs were stopped and have not restarted`;
}

/** Undefined: the names are no names. */
export function startCommand({ namespace, name }: StoppedVms["listed"][number]): string | undefined {
  return isDnsName(namespace) && isDnsName(name) ? `virtctl start ${name} -n ${namespace}` : undefined;
}
