// Makes the status of a decision: phase, conditions and what changes with them, in one piece.

import type { Phase, Status } from "@virt/api";
import { phaseSayings, type Saying } from "./conditions/phase.ts";
import { conditionOf } from "./conditions/read.ts";
import { type Circumstances, toolSayings } from "./conditions/tool.ts";
import { sideSayings, writeConditions } from "./conditions/write.ts";
import { withTimesOf } from "./items.ts";
import { nextStep } from "./next-step.ts";
import type { Again, Decision, Effect, Observed } from "./observed.ts";

/** Fields that are given as undefined are removed. */
export type StatusChange = { readonly [Field in keyof Status]?: Status[Field] | undefined };

export type Landing = {
  /** The sentence of the transition; staying in a phase keeps the one it has. */
  readonly message?: string;
  readonly set?: StatusChange;
  readonly side?: readonly Saying[];
  readonly tool?: Pick<Circumstances, "notConverged" | "correction">;
  readonly effect?: Effect;
  readonly again: Again;
};

export function land(
  seen: Observed,
  phase: Phase,
  { message, set = {}, side = [], tool, effect, again }: Landing,
): Decision {
  const { was, generation, now, spec } = seen;
  const kept = conditionOf(was, phase);
  const said = message ?? (kept?.status === "True" ? kept.message : "");
  const items = set.items === undefined ? {} : { items: withTimesOf(was.items ?? [], set.items) };
  const closed = phase === "InProgress" || phase === "Completed" ? { review: undefined } : {};
  const fields = present({ ...was, ...set, ...items, ...closed, phase, observedGeneration: generation });
  const phaseSaid = phaseSayings(phase, said);
  const own = phaseSaid.find(({ status }) => status === "True")?.message ?? said;
  const progress = fields.items?.find(({ state }) => state === "Pending" || state === "InProgress")?.message;
  const isWithheld = spec.action === "Apply";
  const next = nextStep(phase, fields, spec);
  const circumstances = {
    phase,
    message: own,
    isWithheld,
    ...(next && { next }),
    ...(progress && { progress }),
    ...tool,
  };
  const sayings = [...phaseSaid, ...sideSayings(was, side), ...toolSayings(circumstances)];
  const status = { ...fields, conditions: writeConditions(was, sayings, { now, generation }) };
  return { status, again, ...(effect && { effect }) };
}

function present(status: StatusChange): Status {
  return Object.fromEntries(Object.entries(status).filter(([, value]) => value !== undefined));
}
