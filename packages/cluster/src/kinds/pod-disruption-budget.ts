import type { Json, KubeObject } from "@virt/api";
import { asNumber, asText, at, exceedsBytes, type InformerSpec } from "@virt/objects";
import { keepMembers, keepOwners, shortTexts } from "./kept-members.ts";
import { readController } from "./virtual-machine-instance.ts";

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
