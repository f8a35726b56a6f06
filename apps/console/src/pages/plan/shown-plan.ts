// The plan on the page as a single value, so that users approve exactly the plan that they see.

import {
  type DisruptionClass,
  disruptionClasses,
  type Impact,
  type Item,
  type Phase,
  type Review,
  type Severity,
  type VirtPlatformConfig,
} from "@virt/api";
import { strings } from "../strings.ts";

export type ShownPlan = {
  readonly planHash: string;
  readonly config: VirtPlatformConfig;
  readonly items: readonly Item[];
  readonly impact: Impact | undefined;
  readonly review: Review | undefined;
  readonly severity: Severity | undefined;
};

/** Returns undefined if the config has no plan. */
export function planOf(config: VirtPlatformConfig): ShownPlan | undefined {
  const { planHash, items = [], impact, review, impactSeverity, phase } = config.status ?? {};
  if (planHash === undefined || phase === "Ignored") return undefined;
  const severity = isCarriedOut(phase) ? undefined : impactSeverity;
  return { planHash, config, items, impact, review, severity };
}

const carriedOut: ReadonlySet<Phase | undefined> = new Set(["Completed", "CompletedWithUpgrade"]);

/** Reports whether the plan will not affect nodes any further, in which case its warnings and impact are out of date. */
export function isCarriedOut(phase: Phase | undefined): boolean {
  return carriedOut.has(phase);
}

export function isUndecided({ config }: ShownPlan): boolean {
  return config.status?.phase === "ReviewRequired";
}

export function isBeingDrafted({ status }: VirtPlatformConfig): boolean {
  return status?.phase === "Pending" || status?.phase === "Drafting";
}

export function nodesInButton({ config, impact }: ShownPlan): string {
  const classes = (config.status?.disruption ?? []).map((pool) => pool.class);
  const worst = disruptionClasses.find((one) => classes.includes(one)) ?? "None";
  const nodes = impact === undefined ? undefined : impact.nodes + impact.held;
  if (worst === "None") return strings.plan.approveNone;
  if (nodes === undefined) return ` (${nodesOfPools(config)} ${strings.plan.approveClass[worst](2)})`;
  const blocked = impact?.vms?.block ?? 0;
  const what = `${strings.plan.approveClass[worst](nodes)}${blocked === 0 ? "" : `, ${strings.plan.approveBlocked(blocked)}`}`;
  return strings.plan.approveNodes(nodes, what);
}

function nodesOfPools({ status }: VirtPlatformConfig): string {
  return `nodes of ${(status?.disruption ?? []).map(({ pool }) => pool).join(", ")}`;
}

export function classText(what: DisruptionClass): string {
  return strings.plan.classes[what];
}
