// The form of a rule set, and operations that several kinds share.

import { conditionsAre, phaseIs } from "./expressions.ts";

/** CEL expressions by operation. */
export type Operations = Readonly<Record<string, string>>;

/** The operations of one kind. `operations` are CEL expressions by name. */
export type RuleSet = {
  /** The object is called `<name>-rules`. */
  readonly name: string;
  readonly component: string;
  readonly target: { readonly group: string; readonly version: string; readonly resource: string };
  /** True if an aggregated API server of OpenShift serves the target, so that it has no CRD. */
  readonly isAggregated?: true;
  readonly correlation?: { readonly group: string; readonly role: "root" | "child" };
  readonly operations: Operations;
};

export const phaseOperations = (...names: readonly string[]): Operations =>
  Object.fromEntries(names.map((name) => [name, phaseIs(name)]));

/** The states of an operator that reports Available, Progressing and Degraded. */
export const operatorStates: Operations = {
  Deploying: conditionsAre({ Available: "False", Progressing: "True", Degraded: "False" }),
  Reconciling: conditionsAre({ Available: "True", Progressing: "True", Degraded: "False" }),
  ReconcilingDegraded: conditionsAre({ Available: "True", Progressing: "True", Degraded: "True" }),
  Healing: conditionsAre({ Available: "False", Progressing: "True", Degraded: "True" }),
  Failing: conditionsAre({ Available: "False", Progressing: "False", Degraded: "True" }),
};

export const clusterStates: Operations = { ...operatorStates, NotUpgradeable: conditionsAre({ Upgradeable: "False" }) };
