// The plan that is on the page, as one value: what is shown is what is approved, even while the cluster moves on.

import type { DisruptionClass, Impact, Item, Phase, Review, Severity, VirtPlatformConfig } from "@virt/api";
import { disruptionClasses } from "@virt/api";
import { strings } from "../strings.ts";

export type ShownPlan = {
  readonly planHash: string;
  readonly config: VirtPlatformConfig;
  readonly items: readonly Item[];
  readonly impact: Impact | undefined;
  readonly review: Review | undefined;
  readonly severity: Severity | undefined;
};

/** Undefined: there is none to look at. */
export function planOf(config: VirtPlatformConfig): ShownPlan | undefined {
  const { planHash, items = [], impact, review, impactSeverity, phase } = config.status ?? {};
  if (planHash === undefined || phase === "Ignored") return undefined;
  const severity = isCarriedOut(phase) ? undefined : impactSeverity;
  return { planHash, config, items, impact, review, severity };
}

const carriedOut: ReadonlySet<Phase | undefined> = new Set(["Completed", "CompletedWithUpgrade"]);

/** Reports whether all that the plan does to nodes is in the past: its warnings and its impact are not to be expected any more. */
export function isCarriedOut(phase: Phase | undefined): boolean {
  return carriedOut.has(phase);
}

/** Whether a person may decide about it now. */
export function isUndecided({ config }: ShownPlan): boolean {
  return config.status?.phase === "ReviewRequired";
}

/** Whether the advisor is making another one. */
export function isBeingDrafted({ status }: VirtPlatformConfig): boolean {
  return status?.phase === "Pending" || status?.phase === "Drafting";
}

/** What the button says of nodes: how many, and the worst that happens to them. */
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

/** Of a pool, for people. */
export function classText(what: DisruptionClass): string {
  return strings.plan.classes[what];
}
