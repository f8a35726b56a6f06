// The reasons and messages of phase conditions. Exactly one of these is True, but Drifted can be True in addition.

import { type Phase, phaseConditions } from "@virt/api";
import { showsDriftBeside } from "../phases.ts";
import type { ConditionInput } from "./status-conditions.ts";

/** Messages on which users and scripts rely. Do not change them. */
export const phaseMessages = {
  started: "Starting plan generation",
  unknownPhase: "Resetting unknown phase",
  resumed: "Action changed from Ignore, regenerating plan",
  generating: "Generating plan from profile",
  alreadyThere: "Configuration already in desired state - no changes needed",
  managed: "Configuration is being managed",
  ignored:
    "Configuration is ignored - no management actions will be performed. Resources remain in their current state and are now under manual control. Change action to 'DryRun' or 'Apply' to resume operator management.",
  notApplicable: "Not applicable - configuration is ignored",
  review: "Plan ready for review. Change action to 'Apply' to execute.",
  applying: "Applying plan configuration",
  inSync: "Configuration successfully applied and in sync",
} as const;

type ConditionText = { readonly reason: string; readonly message: string };
type PhaseTexts = {
  readonly own: ConditionText;
  readonly others: ConditionText;
  readonly except?: Partial<Readonly<Record<Phase, ConditionText>>>;
};

/**
 * Returns the conditions. Ignores `message` in phases with a fixed message. `drift` is undefined if no applied target
 * has drifted.
 */
export function conditionsForPhase(phase: Phase, message: string, drift?: string): readonly ConditionInput[] {
  const { own, others, except = {} } = phaseTexts[phase](message);
  const isDrifted = drift !== undefined && showsDriftBeside(phase);
  return phaseConditions.map((type) => {
    if (type === phase) return { type, status: "True", ...own } as const;
    if (type === "Drifted" && isDrifted)
      return { type, status: "True", reason: "DriftDetected", message: drift } as const;
    if (type === "Ignored")
      return { type, status: "False", reason: "NotIgnored", message: phaseMessages.managed } as const;
    return { type, status: "False", ...(except[type] ?? others) } as const;
  });
}

const drafted: ConditionText = { reason: "NotDrafting", message: "Plan generation completed" };
const notApplied: ConditionText = { reason: "NotInProgress", message: "Plan is not being applied" };
const applied: ConditionText = { reason: "NotInProgress", message: "Plan application completed" };
const noDrift: ConditionText = { reason: "NoDrift", message: "Configuration is in sync with desired state" };

const sameText = (reason: Phase) => (message: string) => ({ own: { reason, message }, others: { reason, message } });

const inSync = {
  Drafting: drafted,
  InProgress: applied,
  Drifted: noDrift,
  PrerequisiteFailed: { reason: "Completed", message: "All prerequisites met" },
  Failed: { reason: "Completed", message: "No failures occurred" },
};

const phaseTexts: Readonly<Record<Phase, (message: string) => PhaseTexts>> = {
  Pending: sameText("Pending"),
  Failed: sameText("Failed"),
  Drafting: () => ({ ...sameText("Drafting")(phaseMessages.generating), except: { InProgress: notApplied } }),
  PrerequisiteFailed: (message) => ({
    own: { reason: "PrerequisiteFailed", message },
    others: { reason: "PrerequisitesFailed", message },
  }),
  ReviewRequired: (message) => ({
    ...sameText("ReviewRequired")(message),
    except: {
      Drafting: drafted,
      InProgress: notApplied,
      Drifted: noDrift,
      Completed: { reason: "NotCompleted", message: "Plan not yet applied" },
    },
  }),
  InProgress: () => ({ ...sameText("InProgress")(phaseMessages.applying), except: { Drafting: drafted } }),
  Completed: () => ({
    own: { reason: "Completed", message: phaseMessages.inSync },
    others: { reason: "NotCompleted", message: phaseMessages.inSync },
    except: inSync,
  }),
  CompletedWithUpgrade: (message) => ({ ...sameText("CompletedWithUpgrade")(message), except: inSync }),
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
    own: { reason: "Ignored", message: phaseMessages.ignored },
    others: { reason: "Ignored", message: phaseMessages.notApplicable },
  }),
};
