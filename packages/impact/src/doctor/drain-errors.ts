// What attempts to drain a node fail of: the error in its report, also while the next attempt is under way, and the pods that it names.

import type { RolloutFinding, RolloutStatus } from "@virt/api";
import type { MachineConfigNodeFact } from "./machine-config-nodes.ts";
import { drainErrorKey, type Sightings } from "./sightings.ts";
import { isDnsName } from "./text-templates.ts";

/** Pods of a VM begin so; what becomes of them is the VM's matter. */
export const launcherPrefix = "virt-launcher-";

/**
 * The operator takes its error back when the next attempt begins, though what it failed of may still be there. A process that has just
 * started knows of it by the findings that were shown.
 */
export function withLastError(
  report: MachineConfigNodeFact,
  sightings: Sightings,
  before: RolloutStatus | undefined,
): MachineConfigNodeFact {
  const start = drainErrorKey(report.name);
  const error = drainErrorOf(report) ?? sightings.rest(start) ?? errorOfFindings(report.name, before?.findings ?? []);
  if (error === undefined) return report;
  sightings.see(`${start}${error}`);
  return withDrainError(report, error);
}

/** The same with the error of an earlier attempt. */
function withDrainError(report: MachineConfigNodeFact, message: string): MachineConfigNodeFact {
  const { Drained = { status: "Unknown", time: "" } } = report.conditions;
  return { ...report, conditions: { ...report.conditions, Drained: { ...Drained, message } } };
}

/** What the last attempt to drain failed of; undefined while one is under way. */
function drainErrorOf({ conditions }: MachineConfigNodeFact): string | undefined {
  const message = conditions.Drained?.message ?? "";
  return /\b(?:error|failed)\b/i.test(message) ? message : undefined;
}

// In the words of kubectl, which are read again. A pod without its name is one of a VM.
function errorOfFindings(node: string, findings: readonly RolloutFinding[]): string | undefined {
  const errors = findings
    .filter((finding) => finding.node === node)
    .flatMap(({ id, object: { namespace = "", name } = { name: "" } }) => {
      if (id === "EvictionWebhookDown") return ["failed calling webhook virt-launcher-eviction-interceptor"];
      if (id === "PodBudget" || id === "TwoBudgets") return [`error when evicting pods/"${name}" -n "${namespace}"`];
      const pod = name === "*" ? `${launcherPrefix}x` : name;
      return id === "PodTerminating"
        ? [`error when waiting for pod "${pod}" in namespace "${namespace}" to terminate`]
        : [];
    });
  return errors.length === 0 ? undefined : errors.join(", ");
}

/** A pod that a failed drain names: its eviction is refused, or it does not end. */
export type NamedPod = { readonly namespace: string; readonly name: string; readonly isTerminating: boolean };

const mostPods = 20;

/** The pods that the message of a failed drain names, each once, in its order. Anything may stand there: only names count. */
export function podsOfDrain({ conditions }: MachineConfigNodeFact): readonly NamedPod[] {
  const message = conditions.Drained?.message ?? "";
  const quoted = String.raw`\\?"([^"\\]{1,253})\\?"`;
  const evicting = new RegExp(`error when evicting pods/${quoted} -n ${quoted}`, "g");
  const waiting = new RegExp(`error when waiting for pod ${quoted} in namespace ${quoted} to terminate`, "g");
  const pods = [
    ...matchesIn(message, evicting).map((pod) => ({ ...pod, isTerminating: false })),
    ...matchesIn(message, waiting).map((pod) => ({ ...pod, isTerminating: true })),
  ];
  const known = new Map(
    pods
      .filter(({ namespace, name }) => isDnsName(namespace) && isDnsName(name))
      .toSorted((left, right) => left.at - right.at)
      .map(({ namespace, name, isTerminating }) => [`${namespace}/${name}`, { namespace, name, isTerminating }]),
  );
  return [...known.values()].slice(0, mostPods);
}

function matchesIn(message: string, pattern: RegExp) {
  return [...message.matchAll(pattern)].map(({ index, 1: name = "", 2: namespace = "" }) => ({
    namespace,
    name,
    at: index,
  }));
}

/** Whether the message says that KubeVirt's webhook for evictions does not answer. */
export function isEvictionWebhookDown({ conditions }: MachineConfigNodeFact): boolean {
  const message = conditions.Drained?.message ?? "";
  return message.includes("failed calling webhook") && message.includes("virt-launcher-eviction-interceptor");
}
