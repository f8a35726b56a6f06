// What a drain or a reboot does to each VM of a node, as KubeVirt answers the eviction.

import type { KubeObject, VmOutcome } from "@virt/api";
import { asText, at } from "@virt/engine";
import type { VirtSettings } from "./virt-settings.ts";
import { isEnded, type VmFact } from "./vms.ts";

/** An outcome and why; the reason is empty where the outcome says it all. */
export type AssessedOutcome = { readonly outcome: VmOutcome; readonly reason: string };

/** What decides about the VMs of a node. */
export type VmOutcomeInput = {
  readonly settings: Pick<VirtSettings, "evictionStrategy">;
  /** The Machine Config Operator reboots without a drain. */
  readonly isSingleReplica: boolean;
  /** The run strategy of a VirtualMachine; undefined: not known, and its VM counts as one that stops. */
  readonly runStrategyOf: (namespace: string, name: string) => string | undefined;
  /** Whether a node outside the wave may take the VM. */
  readonly hasTarget: (vm: VmFact) => boolean;
};

// Thousands of VMs have one of these.
const migrating: AssessedOutcome = { outcome: "migrate", reason: "" };
const stopping: AssessedOutcome = { outcome: "stop", reason: "" };
const restarting: AssessedOutcome = { outcome: "restart", reason: "" };

/** Returns undefined if the VM has ended or is being deleted: it does not count. A VM without a node may start on any node. */
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

// A clean shutdown ends Succeeded, so RerunOnFailure does not run it again.
function stopOrRestart({ namespace, controller }: VmFact, { runStrategyOf }: VmOutcomeInput): AssessedOutcome {
  const isRestarted =
    controller?.kind === "VirtualMachineInstanceReplicaSet" ||
    (controller?.kind === "VirtualMachine" && runStrategyOf(namespace, controller.name) === "Always");
  return isRestarted ? restarting : stopping;
}

/** The run strategy of a VirtualMachine, with the older field `running`; undefined: it has neither. */
export function readRunStrategy(virtualMachine: KubeObject): string | undefined {
  const running = at(virtualMachine, "spec", "running");
  const strategy = asText(at(virtualMachine, "spec", "runStrategy"));
  return strategy ?? (running === true ? "Always" : undefined);
}
