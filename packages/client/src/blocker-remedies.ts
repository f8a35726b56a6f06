// Ways to unblock a drain before it starts, from the least to the most harmful, each with its consequence.

import type { ImpactEntry } from "@virt/api";

/** `command` is typed as it is; absent where the way depends on the object. */
export type BlockerRemedy = { readonly text: string; readonly consequence: string; readonly command?: string };

const dns1123 = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/u;

/** Never empty. A command appears only if both names can be nothing but names. */
export function blockerRemedies(
  entry: Pick<ImpactEntry, "kind" | "namespace" | "name" | "reason">,
): readonly BlockerRemedy[] {
  const { kind, namespace, name } = entry;
  const isPlain = dns1123.test(namespace) && dns1123.test(name);
  const typed = (command: string) => (isPlain ? { command } : {});
  return kind === "Pod" ? podRemedies(entry, typed) : vmRemedies(entry, typed);
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
      consequence: "The drain then shuts the VM down, and its run strategy starts it on another node.",
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
    consequence: "The application has one replica less than its budget asks for, until the pod runs elsewhere.",
    ...typed(`kubectl delete pod ${name} -n ${namespace}`),
  };
  if (reason === "TwoBudgets")
    return [
      {
        text: "Change the selectors, so that only one PodDisruptionBudget covers the pod.",
        consequence: "The other budget then protects the pod alone.",
        ...list,
      },
      remove,
    ];
  return [
    {
      text: "Add replicas, so that the PodDisruptionBudget allows a disruption.",
      consequence: "The application stays available.",
      ...list,
    },
    {
      text: "Raise maxUnavailable, or lower minAvailable, of the PodDisruptionBudget.",
      consequence: "The application may have fewer replicas while nodes are drained.",
    },
    remove,
  ];
}
