// Findings about a MachineConfigPool, and about the operators that a rollout counts on.

import { blockingFrom, type CatalogueEntry, mco, warningFrom } from "./catalogue-entry.ts";

export const poolFindings = {
  PoolPaused: {
    ages: blockingFrom(0),
    message: "Pool <p> is paused: <k> {k:node waits|nodes wait}",
    command: `oc patch mcp <p> --type merge -p '{"spec":{"paused":false}}'`,
    detected: "`spec.paused` of the pool is true, and nodes have yet to change.",
    cause:
      "Somebody paused the pool, often for a cluster upgrade or a maintenance window. Nothing starts until it is resumed.",
    remedy: "Ask whoever paused it, then resume the pool. All that waits in it starts at once, not only this plan.",
  },
  RenderFailed: {
    ages: blockingFrom(60),
    message: "Pool <p> cannot render: <text>",
    detected: "The pool's condition RenderDegraded is True.",
    cause:
      "The MachineConfigs of the pool cannot be merged: one of them has an Ignition version or a content that is not accepted.",
    remedy:
      "Read the message: it names the MachineConfig. Correct or delete that one; the pool renders again by itself.",
  },
  KubeletConfigFailed: {
    ages: blockingFrom(60),
    message: "KubeletConfig <k> is refused: <text>",
    detected:
      "The KubeletConfig selects the pool, and its newest condition Accepted is False (older releases: its last condition is Failure).",
    cause: "A KubeletConfig for the pool has a field or a value that the Machine Config Operator does not take.",
    remedy: "Correct the KubeletConfig that is named; the operator tries again after each edit.",
  },
  TargetDeleted: {
    ages: blockingFrom(0),
    message:
      "MachineConfig <mc> was deleted while the plan rolls it out. Nodes of pool <p> return to the configuration without it. Plan again, or restore it with: <restore>",
    command: "kubectl virt-advisor plan <config>",
    detected:
      "The plan applied the MachineConfig, an item of the plan waits for its rollout, and the object does not exist.",
    cause:
      "Another client deleted the MachineConfig. The audit log of the API server names it. No node counts as updated, and the plan cannot complete.",
    remedy:
      "Restore the object from `status.items` of the config with the command in the message; the plan then continues. If the deletion was intended, plan again.",
  },
  NotRendered: {
    ages: blockingFrom(300),
    message: "Pool <p> has not taken up MachineConfig <mc>",
    command: `${mco} logs deploy/machine-config-controller`,
    detected:
      "The pool does not exist, or its `spec.configuration.source` does not list our MachineConfig (after a deletion: still lists it).",
    cause:
      "The Machine Config Controller does not run, or the pool's selector no longer matches the MachineConfig's role.",
    remedy:
      "Read the controller's log. If the pool was renamed or deleted, regenerate the plan: set the action to DryRun and back to Apply.",
  },
  ControllerDown: {
    ages: blockingFrom(300),
    message: "The Machine Config Operator does not act on <p>",
    command: `${mco} get pods`,
    detected:
      "The pool's `observedGeneration` is behind its `generation`; or nodes drain or wait for their uncordon, and the operator has reported on none of them in their MachineConfigNodes for 10 minutes.",
    cause: "The Machine Config Controller is down, not elected, or cannot reach the API server.",
    remedy:
      "Bring its pod back: look for a node without room, an image that is not pulled, a crash. The rollout goes on where it stopped.",
  },
  InvalidMaxUnavailable: {
    ages: blockingFrom(0),
    message: "Pool <p>: maxUnavailable '<x>' is neither number nor percentage",
    command: "oc edit mcp <p>",
    detected:
      "`spec.maxUnavailable` is a text without a percent sign, or a negative number, and nodes have yet to change.",
    cause: 'The API accepts `"2"` where `2` is meant; the Machine Config Operator does not, and starts no node.',
    remedy: "Write a number (`2`) or a percentage (`10%`).",
  },
  MaxUnavailableUsed: {
    ages: blockingFrom(300),
    message: "Pool <p> may have <k> {k:node|nodes} down, and <nodes> {n:is|are} (<why>)",
    detected: "As many nodes as `maxUnavailable` allows are away for other reasons, and none is on its way.",
    cause:
      "Nodes that are cordoned or not ready count as unavailable, whoever cordoned them. While they use up the limit, no further node starts.",
    remedy:
      "Bring the named nodes back (uncordon, repair, or delete a Node whose machine is gone), or raise `maxUnavailable` of the pool.",
  },
  CordonedByPerson: {
    ages: warningFrom(0),
    message: "Node <n> is cordoned and left out",
    command: "oc adm uncordon <n>",
    detected: "The node is unschedulable, has yet to change, and the Machine Config Operator did not ask for it.",
    cause: "A person or another tool cordoned the node. The Machine Config Operator does not start on it.",
    remedy: "Uncordon it when the reason is gone; it is updated then.",
  },
  CertificateExpired: {
    ages: warningFrom(0),
    message: "Certificate <subject> expired",
    command: "oc get csr",
    detected: "An entry of the pool's `status.certExpirys` lies in the past.",
    cause:
      "A certificate that nodes get by the Machine Config Operator was not renewed in time, often since the pool was paused for long.",
    remedy: "Approve pending requests for certificates, and resume the pool if it is paused.",
  },
  VirtDegraded: {
    ages: warningFrom(300),
    message: "<Kind> reports <reason>[: <text>]",
    detected: "The HyperConverged or the KubeVirt object is not Available, or Degraded.",
    cause: "OpenShift Virtualization is not well. Evictions and migrations count on it, so drains may fail.",
    remedy: "Follow what the object reports; see its components with `oc get pods` in its namespace.",
  },
  DeschedulerDegraded: {
    ages: warningFrom(300),
    message: "<Kind> reports <reason>[: <text>]",
    detected: "The KubeDescheduler is not Available, or Degraded.",
    cause:
      "The descheduler's operator cannot carry out what the object says. Drains go on; balancing afterwards does not.",
    remedy: "Follow what the object reports; see the operator's pods in its namespace.",
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;
