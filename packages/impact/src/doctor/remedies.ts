// The options for unblocking a rollout, least disruptive first. All clients show the same options.

import { type ImpactEntry, profileManager, type RolloutFinding } from "@virt/api";
import { fillCommand, isDnsName } from "./catalogue.ts";

/** An option. `command` can be run as it is. It is absent if the action depends on the object. */
export type BlockerRemedy = { readonly text: string; readonly consequence: string; readonly command?: string };

/** Returns the options for a blocker, at least one. Includes a command only if both names are safe in a shell. */
export function blockerRemedies(
  entry: Pick<ImpactEntry, "kind" | "namespace" | "name" | "reason">,
): readonly BlockerRemedy[] {
  const { kind, namespace, name } = entry;
  const isPlain = isDnsName(namespace) && isDnsName(name);
  const typed = (command: string) => (isPlain ? { command } : {});
  return kind === "Pod" ? podRemedies(entry, typed) : vmRemedies(entry, typed);
}

/** Returns the options for a finding, or an empty list if there is no choice. */
export function findingRemedies({ id, object }: Pick<RolloutFinding, "id" | "object">): readonly BlockerRemedy[] {
  if (object !== undefined && id === "PoolPaused") return pausedRemedies(object.name);
  const blocker = blockerOf.get(id);
  if (blocker === undefined || object?.namespace === undefined) return [];
  const { namespace, name } = object;
  return blockerRemedies({ ...blocker, namespace, name });
}

/** Returns the options as one string for a condition, or undefined if there are none. */
export function remediesText(remedies: readonly BlockerRemedy[]): string | undefined {
  if (remedies.length === 0) return undefined;
  const lines = remedies.map(({ text, consequence, command }, at) => {
    return `(${at + 1}) ${text} ${consequence}${command === undefined ? "" : ` Command: ${command}`}`;
  });
  return `choose one of these options (least disruptive first): ${lines.join(" ")}`;
}

const blockerOf: ReadonlyMap<string, Pick<ImpactEntry, "kind" | "reason">> = new Map([
  ["VMNotMigratable", { kind: "VirtualMachineInstance", reason: "NotMigratable" }],
  ["VMNoTarget", { kind: "VirtualMachineInstance", reason: "NoTargetNode" }],
  ["PodBudget", { kind: "Pod", reason: "PodDisruptionBudget" }],
  ["TwoBudgets", { kind: "Pod", reason: "TwoBudgets" }],
]);

function pausedRemedies(pool: string): readonly BlockerRemedy[] {
  const command = fillCommand(`oc patch mcp <pool> --type merge -p '{"spec":{"paused":false}}'`, { pool });
  return [
    {
      text: "Leave the pool paused until the administrator who paused it agrees to resume it.",
      consequence: "Until then, no node of the pool is updated.",
    },
    {
      text: "Resume the pool.",
      consequence: "All pending changes of the pool start to roll out, not only this plan. Its nodes drain and reboot.",
      ...(command !== undefined && { command }),
    },
  ];
}

type Typed = (command: string) => { readonly command?: string };

function vmRemedies(
  { namespace, name, reason }: Pick<ImpactEntry, "namespace" | "name" | "reason">,
  typed: Typed,
): readonly BlockerRemedy[] {
  const stop: BlockerRemedy = {
    text: "Stop the VM until its node is updated.",
    consequence: "The VM is down until you start it again.",
    ...typed(`virtctl stop ${name} -n ${namespace}`),
  };
  if (reason === "NoTargetNode")
    return [
      {
        text: "Label another node, or relax the VM's node selector, affinity or tolerations.",
        consequence: "The VM then live-migrates without downtime.",
      },
      stop,
    ];
  return [
    {
      text: "Make the VM live-migratable: shared storage (ReadWriteMany), no host devices, a supported network binding.",
      consequence: "The VM then live-migrates without downtime.",
      ...typed(`kubectl get vmi ${name} -n ${namespace} -o jsonpath='{.status.conditions}'`),
    },
    {
      text: "Set the VM's eviction strategy to LiveMigrateIfPossible and restart the VM.",
      consequence: "The drain then shuts down the VM, and its run strategy starts it on another node.",
    },
    stop,
  ];
}

function podRemedies(
  { namespace, name, reason }: Pick<ImpactEntry, "namespace" | "name" | "reason">,
  typed: Typed,
): readonly BlockerRemedy[] {
  const list = typed(`kubectl get poddisruptionbudgets -n ${namespace}`);
  const remove: BlockerRemedy = {
    text: "Delete the pod.",
    consequence: "Until the pod runs on another node, the application has fewer replicas than its budget requires.",
    ...typed(`kubectl delete pod ${name} -n ${namespace}`),
  };
  if (reason === "TwoBudgets")
    return [
      {
        text: "Change the selectors so that only one PodDisruptionBudget covers the pod.",
        consequence: "The pod is then protected by the other budget only.",
        ...list,
      },
      remove,
    ];
  return [
    {
      text: "Add replicas so that the PodDisruptionBudget allows a disruption.",
      consequence: "The application stays available.",
      ...list,
    },
    {
      text: "Raise maxUnavailable or lower minAvailable in the PodDisruptionBudget.",
      consequence: "The application may have fewer replicas while nodes drain.",
    },
    remove,
  ];
}

/** The config, which has the name of its profile, and the plan item whose target another client deleted. */
export type DeletedTarget = { readonly config: string; readonly item: string };

/** Returns the command that re-applies the reviewed content, or undefined if a name is unsafe in a shell. */
export function restoreCommand({ config, item }: DeletedTarget): string | undefined {
  if (!isDnsName(config) || !isDnsName(item)) return undefined;
  const path = `{.status.items[?(@.name=="${item}")].desiredState}`;
  return `kubectl get vpconf ${config} -o jsonpath='${path}' | kubectl apply --server-side --field-manager=${profileManager(config)} -f -`;
}
