import type { Status } from "@virt/api";
import { describe, expect, test } from "vitest";
import {
  conditionOf,
  inputConditions,
  stalenessConditions,
  upgradeConditions,
} from "../conditions/status-conditions.ts";
import {
  deschedulerItem,
  drafted,
  examplePlanHash,
  generation,
  health,
  input,
  type ObservedOverrides,
  observedWith,
  psi,
} from "../testing/observed-fixtures.ts";
import { transition } from "../transition.ts";

const idle = [psi({ changes: false }), deschedulerItem({ changes: false })];
const drafting = (given: ObservedOverrides) => observedWith("Drafting", { items: [], ...given });

describe("a plan without changes", () => {
  const done = (given: ObservedOverrides = {}): Status =>
    transition(drafting({ draft: drafted(idle), ...given })).status;

  test("uses up an Apply, but not a DryRun", () => {
    expect(done().executedGeneration).toBe(generation);
    expect(done({ spec: { action: "DryRun" } }).executedGeneration).toBeUndefined();
  });

  test("ends the review and completes its items", () => {
    const review = { planHash: examplePlanHash, generation, forced: true, reason: "PlanStale" } as const;
    expect(done({ stored: { review } })).not.toHaveProperty("review");
    expect(done().items?.map(({ state, message }) => [state, message])).toEqual([
      ["Completed", "Already in desired state"],
      ["Completed", "Already in desired state"],
    ]);
  });

  test("reports the pools of a MachineConfig", () => {
    const draft = drafted(idle, { rollouts: { "enable-psi-metrics": health("done", "P is ready") } });
    expect(done({ draft }).items?.[0]?.message).toBe("P is ready");
  });

  test("keeps the message of a skipped item", () => {
    const absent = { uid: "", resourceVersion: "", hash: "h" };
    const skipped = psi({ changes: false, reviewed: absent, message: "PSI metrics already effective" });
    expect(done({ draft: drafted([skipped]) }).items?.[0]?.message).toBe("PSI metrics already effective");
  });

  test("records written and used inputs as applied", () => {
    const draft = drafted(idle, {
      inputs: [
        { name: "read", used: "5", applied: "4" },
        { name: "written", used: "100" },
      ],
    });
    const seen = [input({ name: "read" }), input({ name: "written", planned: "150" })];
    expect(done({ draft, inputs: seen }).inputs).toEqual([
      { name: "read", used: "5", applied: "5" },
      { name: "written", used: "100", applied: "150" },
    ]);
  });

  test("resolves the side conditions", () => {
    const marks = [inputConditions.changed("x"), stalenessConditions.found, upgradeConditions.available("v1", "v2")];
    const status = done({ marks });
    const said = ["InputDependencyDrift", "PlanStale", "UpgradeAvailable"].map((type) => conditionOf(status, type));
    expect(said.map((one) => [one?.status, one?.reason, one?.message])).toEqual([
      ["False", "DriftResolved", "Input dependency drift resolved - external changes reverted"],
      ["False", "Resolved", "Targets are in the desired state"],
      ["False", "Applied", "Upgrade changes applied"],
    ]);
  });
});
