import type { RolloutFinding, RolloutStatus, StoppedVms } from "@virt/api";
import { isEnded, isOnNode } from "@virt/cluster";
import { compareUtf8 } from "@virt/objects";
import { assessedOr, foreignText } from "../assessed.ts";
import { isDnsName } from "./catalogue.ts";
import type { DoctorFacts, PoolView } from "./rollout-view.ts";

type VmSources = Pick<DoctorFacts, "vms" | "before" | "ranVms">;

/** Returns all VMs seen running. After a restart of the process, includes those that the status names. */
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

/** Returns the VM that a finding names. It blocks a drain, so the user is likely to stop it. */
function blockingVm({ object }: RolloutFinding): readonly string[] {
  if (object?.kind !== "VirtualMachineInstance" || object.name === "*") return [];
  return [`${object.namespace ?? ""}/${object.name}`];
}

/** Returns the VMs that are not running now. If VMs cannot be listed, returns those in the status. */
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

/** Adds the number of stopped VMs, and their names unless names are hidden. */
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

export function stoppedText({ total }: StoppedVms): string {
  return total === 1 ? "1 VM was stopped and has not restarted" : `${total} VMs were stopped and have not restarted`;
}

/** Returns the start command, or undefined if a name is unsafe in a shell. */
export function startCommand({ namespace, name }: StoppedVms["listed"][number]): string | undefined {
  return isDnsName(namespace) && isDnsName(name) ? `virtctl start ${name} -n ${namespace}` : undefined;
}
