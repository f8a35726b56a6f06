// The table of all OperationRuleSets.

import { clusterRules } from "./cluster-rules.ts";
import type { RuleSet } from "./rule-set.ts";
import { virtualizationRules } from "./virtualization-rules.ts";

/** The operations that the cluster reports, by kind. Sorted by name, which is the order in which they are applied. */
export const operationRules: readonly RuleSet[] = [...virtualizationRules, ...clusterRules].toSorted((left, right) =>
  left.name < right.name ? -1 : 1,
);
