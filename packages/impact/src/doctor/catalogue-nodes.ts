// The form of a finding, and the findings about nodes, MachineConfigPools and the operators that a rollout depends on.

import type { FindingSeverity } from "@virt/api";

/** One type of finding. See `fillMessage` and `fillCommand` for the syntax of the templates. */
export type CatalogueEntry = {
  /** The severities, each with the minimum age in seconds, in ascending order. */
  readonly ages: readonly { readonly severity: FindingSeverity; readonly seconds: number }[];
  /** The age for the documentation, if it depends on the cluster. */
  readonly ageText?: string;
  readonly message: string;
  /**
   * The command. It only reads if `findingRemedies` offers options. Absent means a command that describes the object,
   * and `none` means no command.
   */
  readonly command?: string;
  readonly detected: string;
  readonly cause: string;
  readonly remedy: string;
};

export function blockingFrom(seconds: number): CatalogueEntry["ages"] {
  return [{ severity: "blocking", seconds }];
}

export function warningFrom(seconds: number): CatalogueEntry["ages"] {
  return [{ severity: "warning", seconds }];
}

/** The command prefix for the namespace of the Machine Config Operator. */
export const mco = "oc -n openshift-machine-config-operator";
/** The command prefix for the HyperConverged's namespace, where KubeVirt runs. */
export const virt = "oc -n <hco>";

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

export const poolFindings = {
  PoolPaused: {
    ages: blockingFrom(0),
    message: "Pool <p> is paused: <k> {k:node is|nodes are} waiting for {k:its|their} update",
    detected: "`spec.paused` of the pool is true, and nodes are waiting for their update.",
    cause:
      "An administrator or a tool paused the pool, often for a cluster upgrade or a maintenance window. No node is updated until the pool is resumed.",
    remedy:
      "Find out why the pool is paused, then resume it. All pending changes of the pool then start, not only this plan.",
  },
  RenderFailed: {
    ages: blockingFrom(60),
    message: "Pool <p> cannot render its configuration: <text>",
    detected: "The RenderDegraded condition of the pool is True.",
    cause:
      "The MachineConfigs of the pool cannot be merged. One of them has an unsupported Ignition version or invalid content.",
    remedy:
      "Read the message: it names the MachineConfig. Correct or delete it. The operator then renders the pool again automatically.",
  },
  KubeletConfigFailed: {
    ages: blockingFrom(60),
    message: "KubeletConfig <k> was rejected: <text>",
    detected:
      "The KubeletConfig selects the pool, and its newest Accepted condition is False (older releases: its last condition is Failure).",
    cause: "A KubeletConfig for the pool contains a field or a value that the Machine Config Operator does not accept.",
    remedy: "Correct this KubeletConfig. The operator retries after each edit.",
  },
  TargetDeleted: {
    ages: blockingFrom(0),
    message:
      "MachineConfig <mc> was deleted during its rollout. The nodes of pool <p> are returning to the configuration without it. Plan again, or restore the MachineConfig with: <restore>",
    command: "kubectl virt-advisor plan <config>",
    detected:
      "The plan applied the MachineConfig, an item of the plan is waiting for its rollout, and the object no longer exists.",
    cause:
      "Another client deleted the MachineConfig. The audit log of the API server names the client. No node counts as updated, and the plan cannot complete.",
    remedy:
      "If the deletion was not intended, restore the object with the command in the message. The plan then continues. If the deletion was intended, plan again.",
  },
  NotRendered: {
    ages: blockingFrom(300),
    message: "The rendered configuration of pool <p> does not include MachineConfig <mc> yet",
    command: `${mco} logs deploy/machine-config-controller`,
    detected:
      "The pool does not exist, or its `spec.configuration.source` does not list the MachineConfig of the plan. After a deletion: it still lists the MachineConfig.",
    cause:
      "The Machine Config Controller is not running, or the selector of the pool no longer matches the role of the MachineConfig.",
    remedy:
      "Check the log of the controller. If the pool was renamed or deleted, regenerate the plan: set the action to DryRun and back to Apply.",
  },
  ControllerDown: {
    ages: blockingFrom(300),
    message: "The Machine Config Operator is not processing pool <p>",
    command: `${mco} get pods`,
    detected:
      "The pool's `observedGeneration` is behind its `generation`. Or nodes are draining or waiting to be uncordoned, and the operator has not updated any of their MachineConfigNodes for 10 minutes.",
    cause: "The Machine Config Controller is down, has no leader, or cannot reach the API server.",
    remedy:
      "Restore its pod. Check for a node without capacity, an image pull error, or a crash. The rollout then continues automatically.",
  },
  InvalidMaxUnavailable: {
    ages: blockingFrom(0),
    message: "Pool <p>: maxUnavailable '<x>' is neither a number nor a percentage",
    command: "oc edit mcp <p>",
    detected:
      "`spec.maxUnavailable` is a string without a percent sign, or a negative number, and nodes are waiting for their update.",
    cause: 'The API accepts `"2"` instead of `2`. The Machine Config Operator does not, and updates no node.',
    remedy: "Set a number (`2`) or a percentage (`10%`).",
  },
  MaxUnavailableUsed: {
    ages: blockingFrom(300),
    message: "Pool <p> allows <k> unavailable {k:node|nodes}, and <nodes> {n:is|are} already unavailable (<why>)",
    detected:
      "Nodes that are unavailable for other reasons use up the `maxUnavailable` limit, and no node is being updated.",
    cause:
      "Nodes that are cordoned or not ready count as unavailable. While they use up the limit, no other node starts its update.",
    remedy:
      "Make these nodes available: uncordon or repair them, or delete a Node whose machine no longer exists. Alternatively, raise `maxUnavailable` of the pool.",
  },
  CordonedByPerson: {
    ages: warningFrom(0),
    message: "Node <n> is cordoned and is not being updated",
    command: "oc adm uncordon <n>",
    detected:
      "The node is unschedulable and waiting for its update, and the Machine Config Operator did not cordon it.",
    cause: "An administrator or a tool cordoned the node. The Machine Config Operator does not update cordoned nodes.",
    remedy: "When the reason no longer applies, uncordon the node. The operator then updates it.",
  },
  CertificateExpired: {
    ages: warningFrom(0),
    message: "Certificate <subject> has expired",
    command: "oc get csr",
    detected: "An entry in the pool's `status.certExpirys` is in the past.",
    cause:
      "The Machine Config Operator distributes this certificate to the nodes. It was not renewed in time, often because the pool was paused for a long time.",
    remedy: "Approve pending certificate signing requests. If the pool is paused, resume it.",
  },
  VirtDegraded: {
    ages: warningFrom(300),
    message: "<Kind> reports <reason>[: <text>]",
    detected: "The HyperConverged or KubeVirt object is Degraded or not Available.",
    cause: "OpenShift Virtualization is unhealthy. Drains may fail because evictions and migrations depend on it.",
    remedy: "Resolve the reported problem. List its components with `oc get pods` in its namespace.",
  },
  DeschedulerDegraded: {
    ages: warningFrom(300),
    message: "<Kind> reports <reason>[: <text>]",
    detected: "The KubeDescheduler is Degraded or not Available.",
    cause:
      "The descheduler operator cannot apply the configuration of this object. Drains continue, but VMs are not rebalanced afterwards.",
    remedy: "Resolve the reported problem. Check the operator pods in its namespace.",
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;
