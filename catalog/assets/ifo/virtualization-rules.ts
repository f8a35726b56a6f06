// Operations of OpenShift Virtualization: its operators, VMs, disks and imports.

import { conditionTrue, differ, fieldIs, isMissingOrFalse, isPositive, isTrue } from "./expressions.ts";
import { operatorStates, phaseOperations, type RuleSet } from "./rule-set.ts";

const storage: readonly RuleSet[] = [
  {
    name: "datavolume",
    component: "cdi",
    target: { group: "cdi.kubevirt.io", version: "v1beta1", resource: "datavolumes" },
    operations: phaseOperations(
      "Pending",
      "PVCBound",
      "WaitForFirstConsumer",
      "PendingPopulation",
      "UploadReady",
      "ImportScheduled",
      "CloneScheduled",
      "UploadScheduled",
      "ImportInProgress",
      "CloneInProgress",
      "SnapshotForSmartCloneInProgress",
      "CloneFromSnapshotSourceInProgress",
      "SmartClonePVCInProgress",
      "CSICloneInProgress",
      "PrepClaimInProgress",
      "ExpansionInProgress",
      "NamespaceTransferInProgress",
      "RebindInProgress",
    ),
  },
  {
    name: "volumesnapshot",
    component: "csi",
    target: { group: "snapshot.storage.k8s.io", version: "v1", resource: "volumesnapshots" },
    operations: { Provisioning: isMissingOrFalse("status.readyToUse") },
  },
];
const migrationPlans: RuleSet = {
  name: "plan",
  component: "forklift",
  target: { group: "forklift.konveyor.io", version: "v1beta1", resource: "plans" },
  operations: { Executing: conditionTrue("Executing") },
};
const inStack = (role: "root" | "child") =>
  ({ component: "hco", correlation: { group: "hco-stack", role } }) as const satisfies Partial<RuleSet>;
const upgraded = { operations: { ...operatorStates, ...phaseOperations("Deleting", "Upgrading") } };

const stack: readonly RuleSet[] = [
  {
    ...inStack("root"),
    name: "hco",
    target: { group: "hco.kubevirt.io", version: "v1beta1", resource: "hyperconvergeds" },
    operations: operatorStates,
  },
  {
    ...inStack("child"),
    name: "kubevirt",
    target: { group: "kubevirt.io", version: "v1", resource: "kubevirts" },
    operations: {
      ...operatorStates,
      ...phaseOperations("Deleting"),
      Upgrading: differ("status.observedKubeVirtVersion", "status.targetKubeVirtVersion"),
      UpdateRollingOut: `${conditionTrue("Available")} && ${isPositive("status.outdatedVirtualMachineInstanceWorkloads")}`,
    },
  },
  {
    ...inStack("child"),
    ...upgraded,
    name: "cdi",
    target: { group: "cdi.kubevirt.io", version: "v1beta1", resource: "cdis" },
  },
  {
    ...inStack("child"),
    ...upgraded,
    name: "ssp",
    target: { group: "ssp.kubevirt.io", version: "v1beta3", resource: "ssps" },
    operations: { ...upgraded.operations, Paused: isTrue("status.paused") },
  },
  {
    ...inStack("child"),
    name: "cnao",
    target: { group: "networkaddonsoperator.network.kubevirt.io", version: "v1", resource: "networkaddonsconfigs" },
    operations: operatorStates,
  },
  {
    ...inStack("child"),
    name: "hpp",
    target: { group: "hostpathprovisioner.kubevirt.io", version: "v1beta1", resource: "hostpathprovisioners" },
    operations: operatorStates,
  },
  {
    ...inStack("child"),
    ...upgraded,
    name: "aaq",
    target: { group: "aaq.kubevirt.io", version: "v1alpha1", resource: "aaqs" },
  },
];
const vmStates = ["Migrating", "Starting", "Stopping", "Provisioning", "Terminating", "WaitingForReceiver"];
const ofKubeVirt = { component: "kubevirt" } as const;
const saved = { operations: phaseOperations("InProgress", "Failed") };

const vms: readonly RuleSet[] = [
  {
    ...ofKubeVirt,
    name: "vm-lifecycle",
    target: { group: "kubevirt.io", version: "v1", resource: "virtualmachines" },
    operations: Object.fromEntries(vmStates.map((state) => [state, fieldIs("status.printableStatus", state)])),
  },
  {
    ...ofKubeVirt,
    name: "vmi",
    target: { group: "kubevirt.io", version: "v1", resource: "virtualmachineinstances" },
    operations: {
      ...phaseOperations("Pending", "Scheduling", "Scheduled", "WaitingForSync"),
      Provisioning: conditionTrue("Provisioning"),
      VCPUChange: conditionTrue("HotVCPUChange"),
      MemoryChange: conditionTrue("HotMemoryChange"),
    },
  },
  {
    ...ofKubeVirt,
    name: "vmim",
    target: { group: "kubevirt.io", version: "v1", resource: "virtualmachineinstancemigrations" },
    operations: phaseOperations("Pending", "Scheduling", "Scheduled", "PreparingTarget", "Running"),
  },
  {
    ...ofKubeVirt,
    name: "vm-clone",
    target: { group: "clone.kubevirt.io", version: "v1beta1", resource: "virtualmachineclones" },
    operations: phaseOperations("SnapshotInProgress", "CreatingTargetVM", "RestoreInProgress", "Failed"),
  },
  {
    ...ofKubeVirt,
    name: "vm-export",
    target: { group: "export.kubevirt.io", version: "v1beta1", resource: "virtualmachineexports" },
    operations: phaseOperations("Pending"),
  },
  {
    ...ofKubeVirt,
    ...saved,
    name: "vm-restore",
    target: { group: "snapshot.kubevirt.io", version: "v1beta1", resource: "virtualmachinerestores" },
  },
  {
    ...ofKubeVirt,
    ...saved,
    name: "vm-snapshot",
    target: { group: "snapshot.kubevirt.io", version: "v1beta1", resource: "virtualmachinesnapshots" },
  },
];

export const virtualizationRules: readonly RuleSet[] = [...storage, migrationPlans, ...stack, ...vms];
