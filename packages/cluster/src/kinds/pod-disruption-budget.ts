import type { Json, KubeObject } from "@virt/api";
import { asNumber, asText, at, exceedsBytes, type InformerSpec } from "@virt/objects";
import { keepMembers, keepOwners, shortTexts } from "./kept-members.ts";
import { readController } from "./virtual-machine-instance.ts";

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
