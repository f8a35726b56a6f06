// The message and the command that users see for each planted fault.

/** Keyed by finding and, if it has several causes, by cause. */
export const faultTexts: ReadonlyMap<string, { readonly message: string; readonly command: string | undefined }> =
  new Map(
    Object.entries({
      PoolPaused: {
        message: "Pool worker is paused: 3 nodes are pending",
        command: "oc describe machineconfigpool worker",
      },
      RenderFailed: {
        message:
          "Pool worker cannot render its configuration: Failed to render configuration for pool worker: no such file",
        command: "oc describe machineconfigpool worker",
      },
      KubeletConfigFailed: {
        message:
          "KubeletConfig static-pods was rejected: Error: KubeletConfiguration: staticPodPath is not allowed to be set in KubeletConfig static-pods",
        command: "oc describe kubeletconfig static-pods",
      },
      NotRendered: {
        message: "The rendered configuration of pool worker does not include MachineConfig 99-worker-psi-karg yet",
        command: "oc -n openshift-machine-config-operator logs deploy/machine-config-controller",
      },
      "ControllerDown a pool whose spec nobody reconciles": {
        message: "The Machine Config Operator is not processing pool worker",
        command: "oc -n openshift-machine-config-operator get pods",
      },
      "ControllerDown a drain on which nobody reports": {
        message: "The Machine Config Operator is not processing pool worker",
        command: "oc -n openshift-machine-config-operator get pods",
      },
      "ControllerDown a node that waits for its uncordon": {
        message: "The Machine Config Operator is not processing pool worker",
        command: "oc -n openshift-machine-config-operator get pods",
      },
      InvalidMaxUnavailable: {
        message: "Pool worker: maxUnavailable '2' is neither a number nor a percentage",
        command: "oc edit mcp worker",
      },
      MaxUnavailableUsed: {
        message: "Pool worker allows 1 unavailable node, and worker-1 is already unavailable (cordoned)",
        command: "oc describe machineconfigpool worker",
      },
      CordonedByPerson: {
        message: "Node worker-1 is cordoned and is not being updated",
        command: "oc adm uncordon worker-1",
      },
      CertificateExpired: { message: "Certificate CN=old has expired", command: "oc get csr" },
      OnDiskState: {
        message:
          "Files on node worker-0 were changed outside of MachineConfigs: unexpected on-disk state validating against rendered-1: content mismatch for file /etc/a",
        command: "oc describe machineconfignode worker-0",
      },
      Unreconcilable: {
        message:
          "Node worker-0 cannot apply the change in place: can't reconcile config rendered-1 with rendered-2: ignition disks section changes",
        command: "oc describe machineconfignode worker-0",
      },
      KernelArgumentsFailed: {
        message:
          "Node worker-0 cannot change its kernel arguments: failed to update OS: running rpm-ostree kargs failed: exit status 1",
        command: "oc describe machineconfignode worker-0",
      },
      OSUpdateFailed: {
        message:
          "Node worker-0 cannot update its OS: failed to update OS to quay.invalid/os: error running rpm-ostree rebase",
        command: "oc describe machineconfignode worker-0",
      },
      NodeDegraded: {
        message: "Node worker-0 is degraded: disk is full",
        command: "oc describe machineconfignode worker-0",
      },
      RebootOverdue: { message: "Node worker-0 has been rebooting for 45 minutes", command: undefined },
      KubeletDown: {
        message: "The kubelet on worker-0 has not started since MachineConfig 99-worker-psi-karg was applied",
        command: "ssh core@worker-0 journalctl -b -u kubelet",
      },
      "VirtDegraded KubeVirt": {
        message: "KubeVirt reports DeploymentNotReady: no nodes",
        command: "oc describe kubevirts kubevirt-kubevirt-hyperconverged -n openshift-cnv",
      },
      "VirtDegraded HyperConverged": {
        message: "HyperConverged reports KubeVirtDegraded: no nodes",
        command: "oc describe hyperconverged kubevirt-hyperconverged -n openshift-cnv",
      },
      DeschedulerDegraded: {
        message: "KubeDescheduler reports no image",
        command: "oc describe kubedescheduler cluster -n descheduler",
      },
      VMNotMigratable: {
        message: "VM vms/vm-0 cannot be live-migrated (DisksNotLiveMigratable) and is blocking the drain of worker-0",
        command: "oc describe virtualmachineinstance vm-0 -n vms",
      },
      VMNoTarget: {
        message: "No other node matches the scheduling requirements of VM vms/vm-0",
        command: "oc describe virtualmachineinstance vm-0 -n vms",
      },
      ExternalEviction: {
        message: "VM vms/vm-0 is waiting for an external controller",
        command: "virtctl migrate vm-0 -n vms",
      },
      EvacuationNotStarted: {
        message: "No migration was created for VM vms/vm-0",
        command: "oc -n openshift-cnv get pods -l kubevirt.io=virt-controller",
      },
      EvictionWebhookDown: {
        message: "Evictions fail because virt-api does not respond",
        command: "oc -n openshift-cnv get pods -l kubevirt.io=virt-api",
      },
      MigrationsQueued: {
        message: "1 migration is pending: 5 of 5 running in the cluster, 1 of 2 from worker-0",
        command: "oc get vmim -A",
      },
      LanesTaken: {
        message: "5 of 5 migration slots are used by migrations without a target node",
        command: "oc get vmim -A",
      },
      "MigrationUnschedulable for a while": {
        message: "No node has room for VM vms/large-0 (31896 MiB short)",
        command: "oc describe virtualmachineinstance large-0 -n vms",
      },
      "MigrationUnschedulable for long": {
        message: "No node has room for VM vms/large-0 (31896 MiB short)",
        command: "oc describe virtualmachineinstance large-0 -n vms",
      },
      MigrationFailing: {
        message: "Migration of VM vms/vm-0 failed 3 times: no route to host",
        command: "oc describe virtualmachineinstance vm-0 -n vms",
      },
      MigrationSlow: {
        message: "Migration of VM vms/vm-0 times out in 4 minutes: the guest writes memory faster than it is copied",
        command: "oc -n openshift-cnv get kubevirts -o yaml",
      },
      "MigrationHeld quota": {
        message: "Migration of VM vms/vm-0 is blocked by the quota",
        command: "oc describe virtualmachineinstance vm-0 -n vms",
      },
      "MigrationHeld backup": {
        message: "Migration of VM vms/vm-0 is blocked by a backup",
        command: "oc describe virtualmachineinstance vm-0 -n vms",
      },
      "MigrationHeld utility-volume": {
        message: "Migration of VM vms/vm-0 is blocked by a utility volume",
        command: "oc describe virtualmachineinstance vm-0 -n vms",
      },
      PodBudget: {
        message: "Pod apps/protected is protected by PodDisruptionBudget protected (1 healthy, 1 needed)",
        command: "oc describe pod protected -n apps",
      },
      TwoBudgets: {
        message: "Pod apps/twice has two PodDisruptionBudgets and cannot be evicted",
        command: "oc describe pod twice -n apps",
      },
      PodTerminating: { message: "Pod apps/bare is stuck terminating", command: "oc describe pod bare -n apps" },
      DrainSlow: {
        message: "Node worker-0 has been draining for 15 minutes",
        command: "oc -n openshift-machine-config-operator logs deploy/machine-config-controller",
      },
    }),
  );
