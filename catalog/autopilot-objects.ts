// The objects of virt-platform-autopilot and our objects with the same purpose. Data only: the platform controller reads
// from it which objects it leaves to the autopilot, and the verb `adopt` reads what moves and what it costs.

import type { Ref } from "@virt/api";
import type { Counterpart, CounterpartTarget, PlacedRef } from "@virt/platform";
import { assetMachineConfigTarget } from "./assets/machine-config.ts";

const machineConfig = (name: string): Ref => {
  const { apiVersion, kind } = assetMachineConfigTarget(name);
  return { apiVersion, kind, name };
};
const kubeletConfig = (name: string): Ref => ({
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "KubeletConfig",
  name,
});
const uiPlugin = (name: string): Ref => ({ apiVersion: "observability.openshift.io/v1alpha1", kind: "UIPlugin", name });
const beside = (apiVersion: string, kind: string, name: string): PlacedRef => ({
  apiVersion,
  kind,
  name,
  namespace: "$hco",
});

const own = (kind: string, ...names: readonly string[]): readonly CounterpartTarget[] =>
  names.map((name) => ({ kind, name }));
const ownMachineConfigs = (...names: readonly string[]) => own("MachineConfig", ...names);
const cpuManager: CounterpartTarget = {
  kind: "KubeletConfig",
  name: "virt-perf-settings",
  asset: "kubelet-cpu-manager",
};

/** Both apply an object with the same name. Taking it over reboots no node. */
const shared = (ref: Ref, appliedWith: Counterpart["appliedWith"], content: Counterpart["content"]): Counterpart => ({
  theirs: [ref],
  ours: own(ref.kind, ref.name),
  appliedWith,
  content,
  adoption: "take over",
  replacementReboots: false,
});

type NodePair = { readonly theirs: readonly Ref[]; readonly ours: readonly CounterpartTarget[]; readonly with: string };

/** Both change nodes, with other content. Only a person moves such an object. */
const replacedOnNodes = ({ theirs, ours, with: appliedWith }: NodePair): Counterpart => ({
  theirs,
  ours,
  appliedWith,
  content: "differs",
  adoption: "keep",
  replacementReboots: ours.length > 0,
});

/** Theirs has the role of its pool at the start of its name, and ours at the end. */
const perRole = (theirs: string, ours: string | undefined, appliedWith: string): readonly Counterpart[] =>
  (["worker", "master"] as const).map((role) =>
    replacedOnNodes({
      theirs: [machineConfig(`99-${role}-${theirs}`)],
      ours: ours === undefined ? [] : ownMachineConfigs(role === "worker" ? ours : `${ours}-master`),
      with: appliedWith,
    }),
  );

/** None of our assets serves the purpose. */
const theirsAlone = (appliedWith: Counterpart["appliedWith"], ...theirs: readonly PlacedRef[]): Counterpart => ({
  theirs,
  ours: [],
  appliedWith,
  content: "differs",
  adoption: "keep",
  replacementReboots: false,
});

const psi = (role: string) => machineConfig(`99-openshift-machineconfig-${role}-psi-karg`);
const kubeletSwitch = "enable-kubelet-performance-settings";
const remediationNamespace = "openshift-workload-availability";

const operationRuleSets = [
  "datavolume",
  "volumesnapshot",
  "fenceagentsremediation",
  "plan",
  "hco",
  "kubevirt",
  "cdi",
  "ssp",
  "cnao",
  "hpp",
  "aaq",
  "vm-lifecycle",
  "vmi",
  "vmim",
  "vm-clone",
  "vm-export",
  "vm-restore",
  "vm-snapshot",
  "nnce",
  "nncp",
  "nodemaintenance",
  "velero-backup",
  "velero-restore",
  "velero-deletebackuprequest",
  "velero-datadownload",
  "velero-dataupload",
  "velero-podvolumebackup",
  "velero-podvolumerestore",
  "csv",
  "installplan",
  "subscription",
  "build",
  "machine",
  "machineset",
  "clusteroperator",
  "clusterversion",
  "storageversionmigration",
  "machineconfigpool",
];

/** The table of the autopilot's objects, as of its release with 98 assets. */
export const autopilotObjects: readonly Counterpart[] = [
  shared(psi("worker"), "always", "equal"),
  shared(psi("master"), "always", "equal"),
  shared(machineConfig("50-virt-pci-passthrough"), "enable-pci-passthrough", "equal"),
  replacedOnNodes({
    theirs: [machineConfig("90-worker-swap-online")],
    ours: ownMachineConfigs("50-virt-swap-enable", "50-virt-swap-tuning"),
    with: "always",
  }),
  replacedOnNodes({
    theirs: [machineConfig("90-worker-file-based-swap-provisioning")],
    ours: ownMachineConfigs("50-virt-swap-file"),
    with: "enable-file-based-swap-provisioning",
  }),
  replacedOnNodes({
    theirs: [machineConfig("95-worker-kubelet-perf-settings")],
    ours: own("KubeletConfig", "virt-perf-settings"),
    with: kubeletSwitch,
  }),
  replacedOnNodes({
    theirs: [machineConfig("96-worker-kubelet-cpu-manager")],
    ours: [cpuManager],
    with: "enable-cpu-manager-perf-tunings",
  }),
  replacedOnNodes({
    theirs: [kubeletConfig("virt-perf-settings")],
    ours: own("KubeletConfig", "virt-perf-settings"),
    with: kubeletSwitch,
  }),
  replacedOnNodes({
    theirs: [kubeletConfig("virt-cpu-manager")],
    ours: [cpuManager],
    with: "enable-cpu-manager-perf-tunings",
  }),
  ...perRole("ksm-zero-only", "50-virt-ksm-zero-only", "enable-ksm-zero-only"),
  ...perRole("thp-tuning", "50-virt-thp-tuning", "enable-thp-tuning"),
  ...perRole("thp-tuning-kernelcore", "50-virt-thp-kernelcore", "enable-thp-tuning-kernelcore"),
  ...perRole("multipath-reservation-key", "50-virt-multipath-reservation", "enable-scsi-persistent-reservations"),
  ...perRole("vm-drain-shutdown-inhibitor", undefined, "enable-vm-drain-shutdown-inhibitor"),
  shared(
    {
      apiVersion: "operator.openshift.io/v1",
      kind: "KubeDescheduler",
      name: "cluster",
      namespace: "openshift-kube-descheduler-operator",
    },
    "always",
    "compared",
  ),
  shared(uiPlugin("monitoring"), "always", "compared"),
  shared(uiPlugin("troubleshooting-panel"), "always", "compared"),
  shared(
    { apiVersion: "metallb.io/v1beta1", kind: "MetalLB", name: "metallb", namespace: "metallb-system" },
    "enable-metallb",
    "compared",
  ),
  shared(
    {
      apiVersion: "forklift.konveyor.io/v1beta1",
      kind: "ForkliftController",
      name: "forklift-controller",
      namespace: "openshift-mtv",
    },
    "enable-mtv",
    "compared",
  ),
  shared(
    { apiVersion: "migrations.kubevirt.io/v1alpha1", kind: "MigrationPolicy", name: "stun-time" },
    "enable-stun-time",
    "compared",
  ),
  {
    theirs: [beside("hco.kubevirt.io/v1", "HyperConverged", "kubevirt-hyperconverged")],
    ours: own("HyperConverged", "kubevirt-hyperconverged"),
    appliedWith: "always",
    content: "compared",
    adoption: "take over",
    replacementReboots: false,
  },
  {
    theirs: [{ apiVersion: "remediation.medik8s.io/v1alpha1", kind: "NodeHealthCheck", name: "far" }],
    ours: own("NodeHealthCheck", "virt-node-health-check"),
    appliedWith: "enable-node-remediation",
    content: "differs",
    adoption: "keep",
    replacementReboots: false,
  },
  {
    theirs: [
      {
        apiVersion: "storage-based-remediation.medik8s.io/v1alpha1",
        kind: "StorageBasedRemediationConfig",
        name: "autopilot-recommended-values-detection-only",
        namespace: remediationNamespace,
      },
    ],
    ours: own("StorageBasedRemediationConfig", "virt-storage-detection"),
    appliedWith: "enable-node-remediation",
    content: "differs",
    adoption: "keep",
    replacementReboots: false,
  },
  ...operationRuleSets.map((name) =>
    shared(
      { apiVersion: "ifo.kubevirt.io/v1alpha1", kind: "OperationRuleSet", name: `${name}-rules` },
      "enable-in-flight-operations",
      "compared",
    ),
  ),
  theirsAlone(
    "always",
    beside("v1", "Service", "virt-platform-autopilot-metrics"),
    beside("monitoring.coreos.com/v1", "ServiceMonitor", "virt-platform-autopilot-metrics"),
  ),
];
