// Remembers the errors of failed drain attempts, because the Machine Config Operator often overwrites them within
// milliseconds.

import type { KubeObject, RolloutFinding, RolloutStatus } from "@virt/api";
import { type MachineConfigNodeFact, readMachineConfigNodeFact } from "@virt/cluster";
import { isDnsName } from "./catalogue.ts";
import { drainErrorKey, type Sightings } from "./sightings.ts";

export const launcherPrefix = "virt-launcher-";

/** Keeps the last error of each drain. Call `note` for every watch event, because a later read may miss the error. */
export class DrainErrors {
  readonly #errors = new Map<string, { readonly desired: string; readonly error: string }>();

  note(object: KubeObject): void {
    const report = readMachineConfigNodeFact(object);
    const { name, desiredConfig: desired, conditions } = report;
    const error = drainErrorOf(report);
    if (conditions.Drained?.status !== "Unknown") this.#errors.delete(name);
    else if (error !== undefined) this.#errors.set(name, { desired, error });
  }

  forget(name: string): void {
    this.#errors.delete(name);
  }

  /** Returns the last error of the reported drain, or undefined if no attempt has failed. */
  lastOf({ name, desiredConfig }: MachineConfigNodeFact): string | undefined {
    const known = this.#errors.get(name);
    return known?.desired === desiredConfig ? known.error : undefined;
  }
}

/** Adds the last error back to the facts during the next attempt. After a restart, derives it from the stored findings. */
export function withLastError(
  report: MachineConfigNodeFact,
  sightings: Sightings,
  { before, drainErrors }: { readonly before: RolloutStatus | undefined; readonly drainErrors: DrainErrors },
): MachineConfigNodeFact {
  const start = drainErrorKey(report.name);
  const error =
    drainErrorOf(report) ??
    drainErrors.lastOf(report) ??
    sightings.rest(start) ??
    errorOfFindings(report.name, before?.findings ?? []);
  if (error === undefined) return report;
  sightings.see(`${start}${error}`);
  return withDrainError(report, error);
}

function withDrainError(report: MachineConfigNodeFact, message: string): MachineConfigNodeFact {
  const { Drained = { status: "Unknown", time: "" } } = report.conditions;
  return { ...report, conditions: { ...report.conditions, Drained: { ...Drained, message } } };
}

function drainErrorOf({ conditions }: MachineConfigNodeFact): string | undefined {
  const message = conditions.Drained?.message ?? "";
  return /\b(?:error|failed)\b/i.test(message) ? message : undefined;
}

// Rebuilds the error in kubectl's wording, so that it can be parsed. If the pod's name is hidden, the pod belongs to a
// VM.
function errorOfFindings(node: string, findings: readonly RolloutFinding[]): string | undefined {
  const errors = findings
    .filter((finding) => finding.node === node)
    .flatMap(({ id, object: { namespace = "", name } = { name: "" } }) => {
      if (id === "EvictionWebhookDown") return ["failed calling webhook virt-launcher-eviction-interceptor"];
      const pod = name === "*" ? `${launcherPrefix}x` : name;
      return id === "PodTerminating"
        ? [`error when waiting for pod "${pod}" in namespace "${namespace}" to terminate`]
        : [];
    });
  return errors.length === 0 ? undefined : errors.join(", ");
}

export type NamedPod = { readonly namespace: string; readonly name: string };

const mostPods = 20;

/** Returns the pods that a failed drain is waiting for. Accepts only valid names, because the message is not trusted. */
export function terminatingPodsOf({ conditions }: MachineConfigNodeFact): readonly NamedPod[] {
  const message = conditions.Drained?.message ?? "";
  const quoted = String.raw`\\?"([^"\\]{1,253})\\?"`;
  const waiting = new RegExp(`error when waiting for pod ${quoted} in namespace ${quoted} to terminate`, "g");
  const pods = [...message.matchAll(waiting)]
    .map(({ 1: name = "", 2: namespace = "" }) => ({ namespace, name }))
    .filter(({ namespace, name }) => isDnsName(namespace) && isDnsName(name));
  return [...new Map(pods.map((pod) => [`${pod.namespace}/${pod.name}`, pod])).values()].slice(0, mostPods);
}

export function isEvictionWebhookDown({ conditions }: MachineConfigNodeFact): boolean {
  const message = conditions.Drained?.message ?? "";
  return message.includes("failed calling webhook") && message.includes("virt-launcher-eviction-interceptor");
}
