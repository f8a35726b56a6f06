// Reads Pods and PodDisruptionBudgets, as far as they decide about evictions.

import type { Json, KubeObject } from "@virt/api";
import { asNumber, asText, at, exceedsBytes, type InformerSpec, readTime } from "@virt/objects";
import { keepMembers, keepOwners, shortTexts } from "../informers.ts";
import { textsOf } from "./node.ts";
import { readController } from "./virtual-machine-instance.ts";

/** The parts of a pod that decide whether a drain evicts it. */
export type PodFact = {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly controllerKind: string | undefined;
  readonly isMirror: boolean;
  /** The time of the deletion request in milliseconds, according to the API server's clock. Undefined without one. */
  readonly deletedAt: number | undefined;
  /** Set if the labels are too large to keep. Budgets that select the pod are then unknown. */
  readonly isTooLarge?: true;
};

/** Limits the labels of a pod. Real labels take a few hundred bytes. */
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

// Subtracts the grace period, because the deletion timestamp is its end.
function deletionOf(pod: KubeObject): number | undefined {
  const text = asText(at(pod, "metadata", "deletionTimestamp"));
  if (text === undefined) return undefined;
  const graceSeconds = asNumber(at(pod, "metadata", "deletionGracePeriodSeconds")) ?? 0;
  return (readTime(text) ?? 0) - graceSeconds * 1000;
}

/** The parts of a PodDisruptionBudget that decide whether it blocks an eviction. */
export type BudgetFact = {
  readonly namespace: string;
  readonly name: string;
  readonly selector: Json | undefined;
  /** Also 0 if the controller has not counted yet. */
  readonly disruptionsAllowed: number;
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly ownerKind: string | undefined;
  /** Set if the selector is too large to evaluate. The budget may protect any pod of its namespace. */
  readonly isTooLarge?: true;
};

/** Limits the selector of a budget. Real selectors take a few dozen bytes. */
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
