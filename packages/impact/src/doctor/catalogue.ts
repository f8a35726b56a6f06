// The catalogue of findings: causes that may block a rollout, their age thresholds, messages and remedies. Findings
// about drains are here. Fills the templates of a finding with its values.

import { foreignText } from "../assessed.ts";
import {
  blockingFrom,
  type CatalogueEntry,
  mco,
  nodeFindings,
  poolFindings,
  virt,
  warningFrom,
} from "./catalogue-nodes.ts";

const drainFindings = {
  VMNotMigratable: {
    ages: blockingFrom(120),
    message: "VM <v> cannot be live-migrated (<reason>) and is blocking the drain of <n>",
    detected: "The VM's eviction strategy is LiveMigrate, and its LiveMigratable condition is not True.",
    cause:
      "The VM's disks, host devices or networks tie it to its node, and its eviction strategy does not allow a shutdown. KubeVirt rejects every eviction.",
    remedy:
      "Make the VM migratable: use shared storage (ReadWriteMany) and no host devices. Alternatively, set the eviction strategy to `LiveMigrateIfPossible`: a drain then shuts the VM down. The new strategy takes effect at the next start of the VM. As a last resort, stop the VM. It is down until you start it again with `virtctl start`.",
  },
  VMNoTarget: {
    ages: blockingFrom(120),
    message: "No other node matches the scheduling requirements of VM <v>",
    detected: "The VM can be live-migrated, but no other ready node has the labels and taints that the VM requires.",
    cause:
      "Because of a node selector, a required affinity or a missing toleration, the VM cannot run on any other node.",
    remedy:
      "Label another node, or relax the requirements of the VM. As a last resort, stop the VM. It is down until you start it again with `virtctl start`.",
  },
  ExternalEviction: {
    ages: blockingFrom(300),
    message: "VM <v> is waiting for an external controller",
    command: "virtctl migrate <vm> -n <ns>",
    detected: "The VM's eviction strategy is External, and its eviction was requested.",
    cause:
      "Another controller, such as that of a hosted cluster, is responsible for moving this VM and has not done so.",
    remedy: "Check that controller, or migrate the VM yourself.",
  },
  EvacuationNotStarted: {
    ages: blockingFrom(120),
    message: "No migration was created for VM <v>",
    command: `${virt} get pods -l kubevirt.io=virt-controller`,
    detected:
      "The VM's eviction was requested, and the migration limits allow another migration, but no migration exists.",
    cause: "KubeVirt's virt-controller, which creates the migrations, is not running or has no leader.",
    remedy: "Restore virt-controller. It then creates the migrations of all waiting VMs.",
  },
  EvictionWebhookDown: {
    ages: blockingFrom(120),
    message: "Evictions fail because virt-api does not respond",
    command: `${virt} get pods -l kubevirt.io=virt-api`,
    detected: "The drain fails with `failed calling webhook` for virt-launcher-eviction-interceptor.",
    cause:
      "KubeVirt's virt-api must admit every eviction. It is down, or the API server cannot reach it, so no VM pod can be evicted.",
    remedy: "Restore virt-api. Check its service and network policies.",
  },
  MigrationsQueued: {
    ages: [{ severity: "info", seconds: 600 }],
    message: "<k> {k:migration is|migrations are} pending: <r> of <P> running in the cluster, <x> of <O> from <n>",
    command: "oc get vmim -A",
    detected: "Migrations are Pending because a limit on parallel migrations is reached.",
    cause: "More VMs must migrate than the limits allow in parallel. This is normal in a large drain.",
    remedy:
      "Wait. If the network has spare bandwidth, you can raise `liveMigrationConfig.parallelMigrationsPerCluster` or `parallelOutboundMigrationsPerNode` in the HyperConverged.",
  },
  LanesTaken: {
    ages: warningFrom(300),
    message: "<k> of <P> migration slots are used by migrations without a target node",
    command: "oc get vmim -A",
    detected:
      "Migrations are Pending, a limit is reached, and migrations without a target node use at least half of the cluster's migration slots.",
    cause:
      "A migration whose target pod cannot be scheduled keeps its slot for five minutes. Other migrations wait behind it.",
    remedy: "Free capacity on other nodes, or cancel the migrations without a target node. See MigrationUnschedulable.",
  },
  MigrationUnschedulable: {
    ages: [
      { severity: "warning", seconds: 120 },
      { severity: "blocking", seconds: 300 },
    ],
    message: "No node has room for VM <v>[ (<short> MiB short)]",
    detected:
      "The VM's migration is in the phase Scheduling, or all recent attempts failed in that phase. The message shows the missing memory if no node has enough.",
    cause:
      "The scheduler finds no node for the target pod. Common reasons are too little memory or CPU, an affinity rule, a device, or a volume.",
    remedy: "Add a node, stop or move other VMs, or stop this VM. KubeVirt retries automatically.",
  },
  MigrationFailing: {
    ages: blockingFrom(0),
    message: "Migration of VM <v> failed <k> times[: <reason>]",
    detected: "The last three migrations that the drain requested failed.",
    cause:
      "The migration starts but fails. Common reasons are a guest that writes memory faster than it is copied, the network between the nodes, different CPU models, or a volume.",
    remedy:
      "Check the reason and the events of the VM. Stop the VM, or allow post-copy or a higher bandwidth in a MigrationPolicy.",
  },
  MigrationSlow: {
    ages: warningFrom(0),
    message: "Migration of VM <v> times out in <t>: the guest writes memory faster than it is copied",
    command: `${virt} get kubevirts -o yaml`,
    detected: "The migration has run for more than 0.8 × `completionTimeoutPerGiB` × the guest memory.",
    cause: "The guest changes its memory faster than the migration copies it, or the bandwidth limit is too low.",
    remedy:
      "Reduce the load of the guest, raise `bandwidthPerMigration` or `completionTimeoutPerGiB`, or allow post-copy or auto-converge.",
  },
  MigrationHeld: {
    ages: blockingFrom(120),
    ageText: "2 min (quota: blocking; backup, utility volume: warning)",
    message: "Migration of VM <v> is blocked by <hold>",
    detected:
      "The migration has the condition migrationRejectedByResourceQuota, migrationBlockedByBackup or migrationBlockedByUtilityVolumes.",
    cause:
      "During a migration, a VM uses its resources twice, and the quota of the namespace does not allow it. Or a backup or a utility volume must finish first.",
    remedy: "Raise the quota of the namespace, wait for the backup, or detach the utility volume.",
  },
  PodBudget: {
    ages: blockingFrom(300),
    message: "Pod <ns>/<pod> is protected by PodDisruptionBudget <b> (<h> healthy, <d> needed)",
    detected: "The pod is on a draining node, and its PodDisruptionBudget allows no disruption.",
    cause: "The application has no spare replica, or its budget requires all replicas.",
    remedy:
      "Scale up the application, make its other pods healthy, or correct the budget. The owner of the application can also delete the pod.",
  },
  TwoBudgets: {
    ages: blockingFrom(300),
    message: "Pod <ns>/<pod> has two PodDisruptionBudgets and cannot be evicted",
    detected: "The pod is on a draining node, and more than one PodDisruptionBudget selects it.",
    cause: "The eviction API rejects pods that have more than one budget, even if each budget allows the disruption.",
    remedy: "Delete one of the budgets, or narrow its selector.",
  },
  PodTerminating: {
    ages: blockingFrom(600),
    message: "Pod <ns>/<pod> is stuck terminating",
    detected:
      "The pod is on a draining node and is being deleted, or, if pods cannot be listed, the drain reports that it is waiting for the pod.",
    cause:
      "The pod was evicted but does not stop. Common reasons are a long grace period, a finalizer, a volume that cannot be unmounted, or a kubelet that does not respond.",
    remedy:
      "Check the events and finalizers of the pod. Force its deletion only if you are sure that it is no longer running.",
  },
  DrainSlow: {
    ages: blockingFrom(900),
    ageText: "max(15 min, 2 × the predicted duration of the drain)",
    message: "Node <n> has been draining for <t>",
    command: `${mco} logs deploy/machine-config-controller`,
    detected: "The drain takes longer than predicted, and no other cause was found.",
    cause: "Unknown. The Machine Config Controller logs which pods it evicts and how the API server responds.",
    remedy:
      "Check the log. Then run `oc get pods -A --field-selector spec.nodeName=<n>` to list the pods that are still on the node.",
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

/** All findings, in the order of docs/stuck-rollouts.md. */
export const findingCatalogue = { ...poolFindings, ...drainFindings, ...nodeFindings } as const;

/** The id of a finding. It is part of the API, metrics and events. */
export type FindingId = keyof typeof findingCatalogue;

/** The values for `<name>` placeholders. A number also selects singular or plural in `{name:one|several}`. */
export type TemplateValues = Readonly<Record<string, string | number>>;

const mostName = 253;

/**
 * The placeholders for object names and our own commands. All other values may contain untrusted text, which is already
 * truncated.
 */
const nameValues = new Set(["p", "n", "v", "ns", "pod", "b", "k", "mc", "nodes", "restore"]);
const mostNames = 3 * mostName;

/** Fills in a message. Omits a part in brackets if one of its values is missing. Does not replace placeholders inside values. */
export function fillMessage(template: string, values: TemplateValues): string {
  const whole = template.replaceAll(/\[([^\]]*)\]/g, (_, part) => {
    const needed = [...String(part).matchAll(/<([a-zA-Z]+)>/g)].map(([, name = ""]) => name);
    return needed.every((name) => values[name] !== undefined) ? String(part) : "";
  });
  return whole.replaceAll(/<([a-zA-Z]+)>|\{([a-zA-Z]+):([^|}]*)\|([^}]*)\}/g, (_, name, counted, one, several) => {
    if (counted !== undefined) return Number(values[String(counted)]) === 1 ? String(one) : String(several);
    const value = String(values[String(name)] ?? "");
    return nameValues.has(String(name)) ? foreignText(value, mostNames) : foreignText(value);
  });
}

/** Returns the template as the documentation shows it, with placeholders and in the plural. */
export function showTemplate(template: string): string {
  return template.replaceAll(/\{[a-zA-Z]+:[^|}]*\|([^}]*)\}/g, "$1");
}

/**
 * Fills in a command. Returns undefined if a value is not a valid DNS name, so that users never paste untrusted text
 * into a shell.
 */
export function fillCommand(template: string, names: Readonly<Record<string, string>>): string | undefined {
  const wanted = [...template.matchAll(/<([a-zA-Z]+)>/g)].map(([, name = ""]) => names[name]);
  if (!wanted.every((name) => name !== undefined && isDnsName(name))) return undefined;
  return template.replaceAll(/<([a-zA-Z]+)>/g, (_, name) => names[String(name)] ?? "");
}

export function isDnsName(text: string): boolean {
  return (
    text.length <= mostName && /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/.test(text)
  );
}

export type FindingObject = { readonly kind: string; readonly namespace?: string; readonly name: string };

export function describeCommand({ kind, namespace, name }: FindingObject): string | undefined {
  // Uses the plural, because `kubevirt` is also the category of our CRD, and oc would resolve it to the category.
  const resource = kind === "KubeVirt" ? "kubevirts" : kind.toLowerCase();
  const template = `oc describe ${resource} <name>${namespace === undefined ? "" : " -n <namespace>"}`;
  return fillCommand(template, { name, namespace: namespace ?? "" });
}

/** Formats a duration, more coarsely the longer it is, so that the message rarely changes. */
export function lastingText(seconds: number): string {
  const minutes = Math.floor(Math.max(0, seconds) / 60);
  if (minutes < 1) return "less than a minute";
  if (minutes === 1) return "1 minute";
  if (minutes < 10) return `${minutes} minutes`;
  if (minutes < 60) return `${Math.floor(minutes / 5) * 5} minutes`;
  const hours = Math.floor(minutes / 30) / 2;
  return `${hours} ${hours === 1 ? "hour" : "hours"}`;
}
