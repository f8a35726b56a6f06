// Findings about a node that takes the change: it is degraded, or it does not come back.

import { blockingFrom, type CatalogueEntry } from "./catalogue-entry.ts";

const describeNode = "oc describe machineconfignode <n>";
const rebootAge = "1.5 × the longest restart expected of nodes of the pool";

export const nodeFindings = {
  OnDiskState: {
    ages: blockingFrom(0),
    message: "Node <n> was changed by hand: <text>",
    command: describeNode,
    detected: "The node is degraded with `on-disk state` or `content mismatch` in its reason.",
    cause:
      "A file that the Machine Config Operator manages was edited on the node. It does not overwrite what it did not write.",
    remedy:
      "Put the file back as the MachineConfig has it, or create `/run/machine-config-daemon-force` on the node to have it overwritten.",
  },
  Unreconcilable: {
    ages: blockingFrom(0),
    message: "Node <n> cannot take the change in place: <text>",
    command: describeNode,
    detected: "The node's state is Unreconcilable, or its reason has `can't reconcile`.",
    cause:
      "The new configuration changes something that can only be set when a node is installed, such as partitions or a removed user.",
    remedy: "Take that change back, or install the node anew.",
  },
  KernelArgumentsFailed: {
    ages: blockingFrom(0),
    message: "Node <n> cannot change its kernel arguments: <text>",
    command: describeNode,
    detected: "The node is degraded with `rpm-ostree kargs` in its reason.",
    cause:
      "rpm-ostree refuses or fails to change the kernel arguments: another transaction, no space in /boot, an argument that is not there.",
    remedy: "See `rpm-ostree status` and the free space of /boot on the node. The daemon tries again by itself.",
  },
  OSUpdateFailed: {
    ages: blockingFrom(0),
    message: "Node <n> cannot change its OS: <text>",
    command: describeNode,
    detected: "The node is degraded with another mention of `ostree` in its reason.",
    cause: "The OS image or an extension cannot be pulled or deployed: registry, pull secret, disk space.",
    remedy: "See the reason: restore access to the registry, or free disk space. The daemon tries again by itself.",
  },
  NodeDegraded: {
    ages: blockingFrom(0),
    message: "Node <n> is degraded: <text>",
    command: describeNode,
    detected: "The node is degraded for another reason.",
    cause: "The Machine Config Daemon cannot apply the configuration.",
    remedy: "See the reason and the log of the machine-config-daemon pod on the node.",
  },
  RebootOverdue: {
    ages: blockingFrom(0),
    ageText: rebootAge,
    message: "Node <n> has not come back for <t>",
    command: "none",
    detected: "The node reboots, and is not Ready for longer than nodes of its pool take.",
    cause: "The machine hangs in its firmware, does not find its boot disk, or has lost its network.",
    remedy: "Look at the machine's console (BMC, cloud console), and power-cycle it if it hangs.",
  },
  KubeletDown: {
    ages: blockingFrom(0),
    ageText: rebootAge,
    message: "The kubelet of <n> does not start since <mc>",
    command: "ssh core@<n> journalctl -b -u kubelet",
    detected:
      "The node reboots, is not Ready for too long, and the MachineConfig of this rollout has a drop-in for the kubelet.",
    cause: "The kubelet probably refuses its new configuration.",
    remedy:
      "Read the kubelet's journal on the node. Take the change back (see the profile's option), or correct the drop-in.",
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;
