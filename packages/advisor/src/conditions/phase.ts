// What the eleven phase conditions say in each phase. Exactly one is True.

import { type Phase, phaseConditions } from "@virt/api";
import { texts } from "../texts.ts";

/** A condition without its times. */
export type Saying = {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
};

type Words = { readonly reason: string; readonly message: string };
type Speech = {
  readonly own: Words;
  readonly others: Words;
  readonly except?: Partial<Readonly<Record<Phase, Words>>>;
};

/** `message` is the sentence of the transition, for phases whose words it is. */
export function phaseSayings(phase: Phase, message: string): readonly Saying[] {
  const { own, others, except = {} } = speeches[phase](message);
  return phaseConditions.map((type) => {
    if (type === phase) return { type, status: "True", ...own } as const;
    if (type === "Ignored") return { type, status: "False", reason: "NotIgnored", message: texts.managed } as const;
    return { type, status: "False", ...(except[type] ?? others) } as const;
  });
}

const drafted: Words = { reason: "NotDrafting", message: "Plan generation completed" };
const notApplied: Words = { reason: "NotInProgress", message: "Plan is not being applied" };
const applied: Words = { reason: "NotInProgress", message: "Plan application completed" };
const noDrift: Words = { reason: "NoDrift", message: "Configuration is in sync with desired state" };

const alike = (reason: Phase) => (message: string) => ({ own: { reason, message }, others: { reason, message } });

const inSync = {
  Drafting: drafted,
  InProgress: applied,
  Drifted: noDrift,
  PrerequisiteFailed: { reason: "Completed", message: "All prerequisites met" },
  Failed: { reason: "Completed", message: "No failures occurred" },
};

const speeches: Readonly<Record<Phase, (message: string) => Speech>> = {
  Pending: alike("Pending"),
  Failed: alike("Failed"),
  Drafting: () => ({ ...alike("Drafting")(texts.generating), except: { InProgress: notApplied } }),
  PrerequisiteFailed: (message) => ({
    own: { reason: "PrerequisiteFailed", message },
    others: { reason: "PrerequisitesFailed", message },
  }),
  ReviewRequired: (message) => ({
    ...alike("ReviewRequired")(message),
    except: {
      Drafting: drafted,
      InProgress: notApplied,
      Drifted: noDrift,
      Completed: { reason: "NotCompleted", message: "Plan not yet applied" },
    },
  }),
  InProgress: () => ({ ...alike("InProgress")(texts.applying), except: { Drafting: drafted } }),
  Completed: () => ({
    own: { reason: "Completed", message: texts.inSync },
    others: { reason: "NotCompleted", message: texts.inSync },
    except: inSync,
  }),
  CompletedWithUpgrade: (message) => ({ ...alike("CompletedWithUpgrade")(message), except: inSync }),
  CompletedWithErrors: () => ({
    own: { reason: "CompletedWithErrors", message: "Plan completed with some errors" },
    others: { reason: "CompletedWithErrors", message: "Plan completed but some items failed" },
  }),
  Drifted: (message) => ({
    own: { reason: "DriftDetected", message },
    others: { reason: "DriftDetected", message },
    except: {
      Completed: {
        reason: "ConfigurationDrifted",
        message: "Configuration is no longer in sync - drift detected",
      },
    },
  }),
  Ignored: () => ({
    own: { reason: "Ignored", message: texts.ignored },
    others: { reason: "Ignored", message: texts.notApplicable },
  }),
};
