import { type Phase, phaseConditions, phases } from "@virt/api";
import { describe, expect, test } from "vitest";
import { conditionsForPhase } from "./phase.ts";

const message = "what the transition says";
const inSync = "Configuration successfully applied and in sync";
const ignored =
  "Configuration is ignored - no management actions will be performed. Resources remain in their current state and are now under manual control. Change action to 'DryRun' or 'Apply' to resume operator management.";

type Words = readonly [reason: string, message: string];
type Row = { readonly own: Words; readonly others: Words; readonly except?: Partial<Record<Phase, Words>> };

const drafted: Words = ["NotDrafting", "Plan generation completed"];
const notApplied: Words = ["NotInProgress", "Plan is not being applied"];
const noDrift: Words = ["NoDrift", "Configuration is in sync with desired state"];
const completed: Row["except"] = {
  Drafting: drafted,
  InProgress: ["NotInProgress", "Plan application completed"],
  Drifted: noDrift,
  PrerequisiteFailed: ["Completed", "All prerequisites met"],
  Failed: ["Completed", "No failures occurred"],
};

const rows: Record<Phase, Row> = {
  Pending: { own: ["Pending", message], others: ["Pending", message] },
  Drafting: {
    own: ["Drafting", "Generating plan from profile"],
    others: ["Drafting", "Generating plan from profile"],
    except: { InProgress: notApplied },
  },
  PrerequisiteFailed: { own: ["PrerequisiteFailed", message], others: ["PrerequisitesFailed", message] },
  ReviewRequired: {
    own: ["ReviewRequired", message],
    others: ["ReviewRequired", message],
    except: {
      Drafting: drafted,
      InProgress: notApplied,
      Drifted: noDrift,
      Completed: ["NotCompleted", "Plan not yet applied"],
    },
  },
  InProgress: {
    own: ["InProgress", "Applying plan configuration"],
    others: ["InProgress", "Applying plan configuration"],
    except: { Drafting: drafted },
  },
  Completed: { own: ["Completed", inSync], others: ["NotCompleted", inSync], ...(completed && { except: completed }) },
  CompletedWithUpgrade: {
    own: ["CompletedWithUpgrade", message],
    others: ["CompletedWithUpgrade", message],
    ...(completed && { except: completed }),
  },
  CompletedWithErrors: {
    own: ["CompletedWithErrors", "Plan completed with some errors"],
    others: ["CompletedWithErrors", "Plan completed but some items failed"],
  },
  Drifted: {
    own: ["DriftDetected", message],
    others: ["DriftDetected", message],
    except: { Completed: ["ConfigurationDrifted", "Configuration is no longer in sync - drift detected"] },
  },
  Failed: { own: ["Failed", message], others: ["Failed", message] },
  Ignored: { own: ["Ignored", ignored], others: ["Ignored", "Not applicable - configuration is ignored"] },
};

describe.each(phases)("in %s", (phase) => {
  const { own, others, except = {} } = rows[phase];

  test.each(phaseConditions)("condition %s has its specified reason and message", (type) => {
    const expected = () => {
      if (type === phase) return own;
      return type === "Ignored" ? ["NotIgnored", "Configuration is being managed"] : (except[type] ?? others);
    };
    const said = conditionsForPhase(phase, message).find((condition) => condition.type === type);
    expect([said?.reason, said?.message]).toEqual(expected());
    expect(said?.status).toBe(type === phase ? "True" : "False");
  });
});

test("conditions have the specified order", () => {
  expect(conditionsForPhase("Pending", "").map(({ type }) => type)).toEqual([
    "Ignored",
    "Drafting",
    "InProgress",
    "ReviewRequired",
    "Completed",
    "Drifted",
    "PrerequisiteFailed",
    "Failed",
    "Pending",
    "CompletedWithErrors",
    "CompletedWithUpgrade",
  ]);
});
