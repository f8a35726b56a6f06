// Reads Pods and PodDisruptionBudgets, as far as they decide about evictions.

import type { Json, KubeObject } from "@virt/api";
import { asNumber, asText, at, exceedsBytes, type InformerSpec, readTime } from "@virt/objects";
import { keepMembers, keepOwners, shortTexts } from "../informers.ts";
import { textsOf } from "./node.ts";
import { readController } from "./virtual-machine-instance.ts";

/** The parts of a pod that determine whether a drain evicts it. */
export type PodFact = {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly controllerKind: string | undefined;
  readonly isMirror: boolean;
  /** When the deletion was requested, in milliseconds by the API server's clock. Undefined if it was not. */
  readonly deletedAt: number | undefined;
  /** Set if the labels are too large to keep. It is then unknown which budgets select the pod. */
  readonly isTooLarge?: true;
};

/** The size limit for a pod's labels. Real labels take a few hundred bytes. */
const mostLabelBytes = 16_000;

/** Reads the metadata of a Pod of any shape. */
export function readPodFact(pod: KubeObject): PodFact {
  const labels = at(pod, "metadata", "labels");
  const isTooLarge = exceedsBytes(labels, mostLabelBytes);
  return {
    namespace: asText(at(pod, "metadata", "namespace")) ?? "",
    name: asText(at(pod, "metadata", "name")) ?? "",
    labels: isTooLarge ? {} : textsOf(labels, () => true),
    controllerKind: readController(pod)?.kind,
    isMirror: at(pod, "metadata", "annotations", "kubernetes.io/config.mirror") !== undefined,
    deletedAt: deletionOf(pod),
    ...(isTooLarge && { isTooLarge }),
  };
}

// Subtracts the grace period, because the deletion timestamp marks its end.
function deletionOf(pod: KubeObject): number | undefined {
  const text = asText(at(pod, "metadata", "deletionTimestamp"));
  if (text === undefined) return undefined;
  const graceSeconds = asNumber(at(pod, "metadata", "deletionGracePeriodSeconds")) ?? 0;
  return (readTime(text) ?? 0) - graceSeconds * 1000;
}

/** The parts of a PodDisruptionBudget that determine whether it blocks an eviction. */
export type BudgetFact = {
  readonly namespace: string;
  readonly name: string;
  readonly selector: Json | undefined;
  /** The number of disruptions allowed now. Also 0 if the controller has not computed it yet. */
  readonly disruptionsAllowed: number;
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly ownerKind: string | undefined;
  /** Set if the selector is too large to evaluate. The budget may then protect any pod in its namespace. */
  readonly isTooLarge?: true;
};

/** The size limit for a budget's selector. Real selectors take a few dozen bytes. */
const mostSelectorBytes = 8_000;

/** All PodDisruptionBudgets, reduced to what `readBudgetFact` needs. */
export const budgetInformer: InformerSpec = {
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  projection: keepMembers(
    // Older releases of KubeVirt create one budget for each VM.
    ...shortTexts(...keepOwners("VirtualMachineInstance")),
    ["spec", "selector", { atMost: mostSelectorBytes }],
    ["status", "disruptionsAllowed"],
    ["status", "currentHealthy"],
    ["status", "desiredHealthy"],
  ),
};

/** Reads a PodDisruptionBudget of any shape. */
export function readBudgetFact(budget: KubeObject): BudgetFact {
  const count = (field: string) => asNumber(at(budget, "status", field)) ?? 0;
  const selector = at(budget, "spec", "selector");
  const isTooLarge = exceedsBytes(selector, mostSelectorBytes);
  return {
    namespace: asText(at(budget, "metadata", "namespace")) ?? "",
    name: asText(at(budget, "metadata", "name")) ?? "",
    selector: isTooLarge ? undefined : selector,
    disruptionsAllowed: count("disruptionsAllowed"),
    currentHealthy: count("currentHealthy"),
    desiredHealthy: count("desiredHealthy"),
    ownerKind: readController(budget)?.kind,
    ...(isTooLarge && { isTooLarge }),
  };
}
