// The message and the command that users see for each planted fault.

const describePool = "oc describe machineconfigpool worker";
const describeNode = "oc describe machineconfignode worker-0";
const describeVm = "oc describe virtualmachineinstance vm-0 -n vms";
const describeLargeVm = "oc describe virtualmachineinstance large-0 -n vms";
const controllerDown = [
  "The Machine Config Operator is not processing pool worker",
  "oc -n openshift-machine-config-operator get pods",
] as const;
const showControllerLogs = "oc -n openshift-machine-config-operator logs deploy/machine-config-controller";

const texts: Readonly<Record<string, readonly [message: string, command: string | undefined]>> = {
  PoolPaused: ["Pool worker is paused: 3 nodes are waiting for their update", describePool],
  RenderFailed: [
    "Pool worker cannot render its configuration: Failed to render configuration for pool worker: no such file",
    describePool,
  ],
  KubeletConfigFailed: [
    "KubeletConfig static-pods was rejected: Error: KubeletConfiguration: staticPodPath is not allowed to be set in KubeletConfig static-pods",
    "oc describe kubeletconfig static-pods",
  ],
  NotRendered: [
    "The rendered configuration of pool worker does not include MachineConfig 99-worker-psi-karg yet",
    showControllerLogs,
  ],
  "ControllerDown a pool that is not reconciled": controllerDown,
  "ControllerDown a drain without a report": controllerDown,
  "ControllerDown a node that waits for its uncordon": controllerDown,
  InvalidMaxUnavailable: ["Pool worker: maxUnavailable '2' is neither a number nor a percentage", "oc edit mcp worker"],
  MaxUnavailableUsed: [
    "Pool worker allows 1 unavailable node, and worker-1 is already unavailable (cordoned)",
    describePool,
  ],
  CordonedByPerson: ["Node worker-1 is cordoned and is not being updated", "oc adm uncordon worker-1"],
  CertificateExpired: ["Certificate CN=old has expired", "oc get csr"],
  OnDiskState: [
    "Files on node worker-0 were changed outside of MachineConfigs: unexpected on-disk state validating against rendered-1: content mismatch for file /etc/a",
    describeNode,
  ],
  Unreconcilable: [
    "Node worker-0 cannot apply the change in place: can't reconcile config rendered-1 with rendered-2: ignition disks section changes",
    describeNode,
  ],
  KernelArgumentsFailed: [
    "Node worker-0 cannot change its kernel arguments: failed to update OS: running rpm-ostree kargs failed: exit status 1",
    describeNode,
  ],
  OSUpdateFailed: [
    "Node worker-0 cannot update its OS: failed to update OS to quay.invalid/os: error running rpm-ostree rebase",
    describeNode,
  ],
  NodeDegraded: ["Node worker-0 is degraded: disk is full", describeNode],
  RebootOverdue: ["Node worker-0 has been rebooting for 45 minutes", undefined],
  KubeletDown: [
    "The kubelet on worker-0 has not started since MachineConfig 99-worker-psi-karg was applied",
    "ssh core@worker-0 journalctl -b -u kubelet",
  ],
  "VirtDegraded KubeVirt": [
    "KubeVirt reports DeploymentNotReady: no nodes",
    "oc describe kubevirts kubevirt-kubevirt-hyperconverged -n openshift-cnv",
  ],
  "VirtDegraded HyperConverged": [
    "HyperConverged reports KubeVirtDegraded: no nodes",
    "oc describe hyperconverged kubevirt-hyperconverged -n openshift-cnv",
  ],
  DeschedulerDegraded: ["KubeDescheduler reports no image", "oc describe kubedescheduler cluster -n descheduler"],
  VMNotMigratable: [
    "VM vms/vm-0 cannot be live-migrated (DisksNotLiveMigratable) and is blocking the drain of worker-0",
    describeVm,
  ],
  VMNoTarget: ["No other node matches the scheduling requirements of VM vms/vm-0", describeVm],
  ExternalEviction: ["VM vms/vm-0 is waiting for an external controller", "virtctl migrate vm-0 -n vms"],
  EvacuationNotStarted: [
    "No migration was created for VM vms/vm-0",
    "oc -n openshift-cnv get pods -l kubevirt.io=virt-controller",
  ],
  EvictionWebhookDown: [
    "Evictions fail because virt-api does not respond",
    "oc -n openshift-cnv get pods -l kubevirt.io=virt-api",
  ],
  MigrationsQueued: ["1 migration is pending: 5 of 5 running in the cluster, 1 of 2 from worker-0", "oc get vmim -A"],
  LanesTaken: ["5 of 5 migration slots are used by migrations without a target node", "oc get vmim -A"],
  "MigrationUnschedulable for a while": ["No node has room for VM vms/large-0 (31896 MiB short)", describeLargeVm],
  "MigrationUnschedulable for long": ["No node has room for VM vms/large-0 (31896 MiB short)", describeLargeVm],
  MigrationFailing: ["Migration of VM vms/vm-0 failed 3 times: no route to host", describeVm],
  MigrationSlow: [
    "Migration of VM vms/vm-0 times out in 4 minutes: the guest writes memory faster than it is copied",
    "oc -n openshift-cnv get kubevirts -o yaml",
  ],
  "MigrationHeld quota": ["Migration of VM vms/vm-0 is blocked by the quota", describeVm],
  "MigrationHeld backup": ["Migration of VM vms/vm-0 is blocked by a backup", describeVm],
  "MigrationHeld utility-volume": ["Migration of VM vms/vm-0 is blocked by a utility volume", describeVm],
  PodBudget: [
    "Pod apps/protected is protected by PodDisruptionBudget protected (1 healthy, 1 needed)",
    "oc describe pod protected -n apps",
  ],
  TwoBudgets: ["Pod apps/twice has two PodDisruptionBudgets and cannot be evicted", "oc describe pod twice -n apps"],
  PodTerminating: ["Pod apps/bare is stuck terminating", "oc describe pod bare -n apps"],
  DrainSlow: ["Node worker-0 has been draining for 15 minutes", showControllerLogs],
};

/** Keyed by finding, and by cause if a finding has several causes. */
export const faultTexts: ReadonlyMap<string, { readonly message: string; readonly command: string | undefined }> =
  new Map(Object.entries(texts).map(([title, [message, command]]) => [title, { message, command }]));
