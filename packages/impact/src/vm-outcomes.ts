import type { VmOutcome } from "@virt/api";
import { isEnded, type VirtSettings, type VmFact } from "@virt/cluster";

/** `reason` is empty if the outcome is self-explanatory. */
export type AssessedOutcome = { readonly outcome: VmOutcome; readonly reason: string };

export type VmOutcomeInput = {
  readonly settings: Pick<VirtSettings, "evictionStrategy">;
  /** True if the Machine Config Operator reboots nodes without draining them. */
  readonly isSingleReplica: boolean;
  /** Returns the run strategy of a VirtualMachine. If it is undefined, the VM counts as stopping. */
  readonly runStrategyOf: (namespace: string, name: string) => string | undefined;
  readonly hasTarget: (vm: VmFact) => boolean;
};

// Shared objects, because thousands of VMs have one of these outcomes.
const migrating: AssessedOutcome = { outcome: "migrate", reason: "" };
const stopping: AssessedOutcome = { outcome: "stop", reason: "" };
const restarting: AssessedOutcome = { outcome: "restart", reason: "" };

/** Returns undefined if the VM has ended or is being deleted. A VM without a node may start on any node. */
export function outcomeOf(vm: VmFact, input: VmOutcomeInput): AssessedOutcome | undefined {
  if (isEnded(vm) || vm.isDeleting) return undefined;
  if (vm.node === "") return { outcome: "unknown", reason: "NoNode" };
  const strategy = vm.evictionStrategy ?? input.settings.evictionStrategy;
  if (vm.phase === "Unknown" || vm.phase === "") return { outcome: "unknown", reason: "PhaseUnknown" };
  if (vm.placement.isTooLarge) return { outcome: "unknown", reason: "PlacementTooLarge" };
  if (strategy === undefined) return { outcome: "unknown", reason: "EvictionStrategyUnknown" };
  if (vm.phase !== "Running") return { outcome: "starting", reason: "" };
  if (input.isSingleReplica) return stopOrRestart(vm, input);
  const isMigratable = vm.liveMigratable?.isTrue === true;
  if (isMigratable && (strategy === "LiveMigrate" || strategy === "LiveMigrateIfPossible"))
    return input.hasTarget(vm) ? migrating : { outcome: "block", reason: "NoTargetNode" };
  if (strategy === "LiveMigrate")
    return { outcome: "block", reason: vm.liveMigratable?.reason || "LiveMigratableUnknown" };
  if (strategy === "External") return { outcome: "external", reason: "" };
  return stopOrRestart(vm, input);
}

// After a clean shutdown the VM has phase Succeeded, so RerunOnFailure does not restart it.
function stopOrRestart({ namespace, controller }: VmFact, { runStrategyOf }: VmOutcomeInput): AssessedOutcome {
  const isRestarted =
    controller?.kind === "VirtualMachineInstanceReplicaSet" ||
    (controller?.kind === "VirtualMachine" && runStrategyOf(namespace, controller.name) === "Always");
  return isRestarted ? restarting : stopping;
}
