// Findings about a node that is degraded or does not return from its reboot.

import { blockingFrom, type CatalogueEntry } from "./catalogue-entry.ts";

const describeNode = "oc describe machineconfignode <n>";
const rebootAge = "1.5 × the longest expected restart of a node in the pool";

export const nodeFindings = {
  OnDiskState: {
    ages: blockingFrom(0),
    message: "Files on node <n> were changed outside of MachineConfigs: <text>",
    command: describeNode,
    detected: "The node is degraded, and its reason contains `on-disk state` or `content mismatch`.",
    cause:
      "A file that the Machine Config Operator manages was edited on the node. The operator does not overwrite such changes.",
    remedy:
      "Restore the content that the MachineConfig defines, or create `/run/machine-config-daemon-force` on the node to overwrite the file.",
  },
  Unreconcilable: {
    ages: blockingFrom(0),
    message: "Node <n> cannot apply the change in place: <text>",
    command: describeNode,
    detected: "The state of the node is Unreconcilable, or its reason contains `can't reconcile`.",
    cause:
      "The new configuration changes a setting that is fixed at installation, such as partitions, or removes a user.",
    remedy: "Revert that change, or reinstall the node.",
  },
  KernelArgumentsFailed: {
    ages: blockingFrom(0),
    message: "Node <n> cannot change its kernel arguments: <text>",
    command: describeNode,
    detected: "The node is degraded, and its reason contains `rpm-ostree kargs`.",
    cause:
      "rpm-ostree failed to change the kernel arguments. Common reasons are another transaction, no space in /boot, or an argument that does not exist.",
    remedy: "Check `rpm-ostree status` and the free space of /boot on the node. The daemon retries automatically.",
  },
  OSUpdateFailed: {
    ages: blockingFrom(0),
    message: "Node <n> cannot update its OS: <text>",
    command: describeNode,
    detected: "The node is degraded, and its reason contains `ostree` but not `rpm-ostree kargs`.",
    cause:
      "The OS image or an extension cannot be pulled or deployed. Common reasons are an unreachable registry, an invalid pull secret, or a full disk.",
    remedy: "Check the reason. Restore access to the registry, or free disk space. The daemon retries automatically.",
  },
  NodeDegraded: {
    ages: blockingFrom(0),
    message: "Node <n> is degraded: <text>",
    command: describeNode,
    detected: "The node is degraded for another reason.",
    cause: "The Machine Config Daemon cannot apply the configuration.",
    remedy: "Check the reason, and the log of the machine-config-daemon pod on the node.",
  },
  RebootOverdue: {
    ages: blockingFrom(0),
    ageText: rebootAge,
    message: "Node <n> has been rebooting for <t>",
    command: "none",
    detected: "The node is rebooting and has not been Ready for longer than nodes of its pool usually take.",
    cause: "The machine hangs in its firmware, does not find its boot disk, or has lost its network.",
    remedy: "Check the console of the machine (BMC or cloud console). If it hangs, power-cycle it.",
  },
  KubeletDown: {
    ages: blockingFrom(0),
    ageText: rebootAge,
    message: "The kubelet on <n> has not started since MachineConfig <mc> was applied",
    command: "ssh core@<n> journalctl -b -u kubelet",
    detected:
      "The node is rebooting, has not been Ready for too long, and the MachineConfig of this rollout contains a drop-in for the kubelet.",
    cause: "The kubelet probably rejects its new configuration.",
    remedy:
      "Read the journal of the kubelet on the node. Revert the change with the option of the profile, or correct the drop-in.",
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;
