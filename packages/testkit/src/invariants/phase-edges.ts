// The transitions of the advisor's state machine.

import { type Phase, phases } from "@virt/api";

export { type Phase, phases };

/** "edit": only with a new generation. */
type Condition = "always" | "edit";

type Edges = Partial<Readonly<Record<Phase, Condition>>>;

const redraft: Edges = { Pending: "edit", Drafting: "always" };
const lostCrd: Edges = { PrerequisiteFailed: "always" };

/**
 * Ignored is not listed, because it may follow every phase and requires action Ignore. Pending may not be stored, so
 * each phase that allows Pending also allows Drafting.
 */
const edges: Readonly<Record<Phase | "", Edges>> = {
  "": { Pending: "always", Drafting: "always" },
  Pending: { Drafting: "always" },
  Drafting: {
    Pending: "edit",
    PrerequisiteFailed: "always",
    Failed: "always",
    Completed: "always",
    InProgress: "always",
    ReviewRequired: "always",
  },
  PrerequisiteFailed: { Pending: "always", Drafting: "always" },
  ReviewRequired: { ...redraft, ...lostCrd, InProgress: "always", Completed: "always" },
  InProgress: {
    ...redraft,
    ...lostCrd,
    Failed: "always",
    Completed: "always",
    CompletedWithErrors: "always",
    Drifted: "always",
  },
  Completed: { ...redraft, ...lostCrd, Drifted: "always", CompletedWithUpgrade: "always" },
  CompletedWithErrors: { ...redraft, ...lostCrd, Drifted: "always", Completed: "always" },
  CompletedWithUpgrade: { ...redraft, ...lostCrd, Drifted: "always", Completed: "always" },
  Drifted: { ...redraft, ...lostCrd, CompletedWithErrors: "always", Completed: "always", InProgress: "always" },
  Failed: { Pending: "edit", Drafting: "edit" },
  Ignored: { Pending: "always", Drafting: "always" },
};

type PhaseEdge = {
  /** Empty for a new object. An unknown phase counts as empty. */
  readonly from: string;
  readonly to: string;
  readonly action: string | undefined;
  readonly isEdited: boolean;
};

export function isEdge({ from, to, action, isEdited }: PhaseEdge): boolean {
  if (to === "Ignored" || action === "Ignore") return to === "Ignored" && action === "Ignore";
  if (from === to) return isPhase(to);
  const condition = isPhase(to) ? edges[isPhase(from) ? from : ""][to] : undefined;
  return condition === "always" || (condition === "edit" && isEdited);
}

export function isPhase(text: string): text is Phase {
  return phases.some((phase) => phase === text);
}
