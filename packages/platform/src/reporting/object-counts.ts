import type { EventMessage } from "@virt/api";
import type { ObjectDecision } from "../baseline/decision.ts";
import type { EvaluatedObject } from "../evaluate/evaluate-object.ts";
import { inputLimitReason } from "../reboot/input-limit.ts";
import { rebootGateReason } from "../reboot/reboot-gate.ts";
import { isInSync, objectFindingOf, type ReconcileOutcome } from "./reconcile-outcome.ts";
import { normalEvent } from "./status-events.ts";

/** Counts applied assets, object by object within a round. */
export type ObjectCounts = {
  readonly begin: () => void;
  readonly add: (key: string, outcome: ReconcileOutcome, evaluated: EvaluatedObject) => void;
  readonly forget: () => void;
  /** Reports whether this many objects were reconciled in the round. */
  readonly isComplete: (objects: number) => boolean;
  /** Returns no events until this many objects were reconciled in the round. */
  readonly events: (objects: number) => readonly EventMessage[];
};

type Count = { readonly active: number; readonly applied: number; readonly shortfall?: string | undefined };

/** Returns empty counts of active and applied objects. */
export function createObjectCounts(): ObjectCounts {
  const counts = new Map<string, Count>();
  /** The reason why an object's assets are not applied, by object key. Undefined if they are applied. */
  const shortfalls = new Map<string, string | undefined>();
  let sum: Count = { active: 0, applied: 0 };
  let last = "";
  const begin = () => {
    counts.clear();
    sum = { active: 0, applied: 0 };
  };
  return {
    begin,
    forget: () => {
      begin();
      shortfalls.clear();
      last = "";
    },
    add: (key, outcome, { statuses }) => {
      const active = [...statuses.values()].filter(({ kind }) => kind === "active").length;
      // After a reconcile that is pending or lacks inputs, the last known result counts.
      const finding = objectFindingOf(outcome);
      if (finding === "settled" || finding === "held" || !shortfalls.has(key))
        shortfalls.set(key, shortfallOf(outcome));
      const shortfall = shortfalls.get(key);
      const count = { active, applied: shortfall === undefined ? active : 0, shortfall };
      const before = counts.get(key) ?? { active: 0, applied: 0 };
      counts.set(key, count);
      sum = {
        active: sum.active + count.active - before.active,
        applied: sum.applied + count.applied - before.applied,
      };
    },
    isComplete: (objects) => counts.size >= objects,
    events: (objects) => {
      const text = [`${sum.applied}/${sum.active} assets applied`, ...missing([...counts.values()])].join(", ");
      if (counts.size < objects || sum.active === 0 || text === last) return [];
      last = text;
      return normalEvent("ReconcileSucceeded", `Reconciliation succeeded: ${text}`);
    },
  };
}

/** Returns strings such as `2 on hold: invalid patch`, the most frequent first. */
function missing(counts: readonly Count[]): readonly string[] {
  const sums = new Map<string, number>();
  for (const { active, shortfall } of counts)
    if (shortfall !== undefined && active > 0) sums.set(shortfall, (sums.get(shortfall) ?? 0) + active);
  return [...sums].toSorted(([, left], [, right]) => right - left).map(([why, count]) => `${count} ${why}`);
}

const heldBecause: Readonly<Record<string, string>> = {
  InvalidPatch: "on hold: invalid patch",
  InvalidIgnoreFields: "on hold: invalid ignore-fields",
  InvalidMode: "on hold: invalid mode",
  InvalidConfiguration: "on hold: invalid annotation",
  UnknownAnnotation: "on hold: unknown annotation",
  [rebootGateReason]: "on hold: reboot gate",
  [inputLimitReason]: "on hold: changed input",
};

function shortfallOf(outcome: ReconcileOutcome): string | undefined {
  if (isInSync(outcome)) return undefined;
  switch (outcome.kind) {
    case "excluded":
      return "excluded";
    case "failed":
      return "failed";
    case "paused-now":
      return "paused";
    case "applied":
      return "changed by admission";
    case "decided":
      return shortfallOfDecision(outcome.decision);
  }
}

function shortfallOfDecision(decision: ObjectDecision): string {
  switch (decision.kind) {
    case "held":
      return heldBecause[decision.reason] ?? "on hold: input unavailable";
    case "mutated":
      return "changed by admission";
    case "paused":
    case "pause":
    case "deletion-fight":
      return "paused";
    case "managed-by-other":
      return "managed by others";
    case "unmanaged":
    case "contested":
      return decision.kind;
    case "not-there":
    case "apply":
    case "wait":
    case "in-sync":
      return "pending";
  }
}
