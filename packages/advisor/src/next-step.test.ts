import {
  phaseConditions,
  phases,
  rejectedPlanAnnotation,
  type Spec,
  type Status,
  type VirtPlatformConfig,
} from "@virt/api";
import { describe, expect, test } from "vitest";
import { conditionStep, nextStepOf, nextStepText } from "./next-step.ts";
import type { Drift } from "./observed.ts";
import { rolloutFixture } from "./testing/impact-fixtures.ts";
import {
  configObject,
  deschedulerItem,
  drift,
  examplePlanHash,
  generation,
  observedItem,
  spec,
} from "./testing/observed-fixtures.ts";

const review = { planHash: examplePlanHash, generation, forced: true, reason: "NotRequested" } as const;

const asked = (given: Partial<Spec> = {}, mustPin = false) => ({
  spec: spec(given),
  operator: { version: "v2", mustPin },
  items: [],
});
const patch = (body: string) => `kubectl patch vpconf ${spec().profile} --type=merge -p '${body}'`;

test("only phases that need the user have a next step", () => {
  const actionable = phases.filter((phase) => conditionStep({ phase, review }, asked()) !== undefined);
  expect(actionable).toEqual(["PrerequisiteFailed", "ReviewRequired", "CompletedWithErrors", "Failed", "Drifted"]);
});

test("one command approves and names a plan that must be named", () => {
  const command = patch(`{"spec":{"action":"Apply","approvedPlan":"${examplePlanHash.slice(0, 12)}"}}`);
  const other = "f".repeat(64);
  for (const one of [asked({}, true), asked({ approvedPlan: other }), asked({ approvedPlan: examplePlanHash }, true)])
    expect(conditionStep({ phase: "ReviewRequired", review }, one)).toBe(`review status.items, then run: ${command}`);
});

test("a DryRun followed by an Apply approves an unnamed plan", () => {
  const command = `${patch('{"spec":{"action":"DryRun"}}')} && ${patch('{"spec":{"action":"Apply"}}')}`;
  expect(conditionStep({ phase: "ReviewRequired", review }, asked())).toBe(`review status.items, then run: ${command}`);
  expect(conditionStep({ phase: "Failed" }, asked())).toBe(`fix the cause, then run: ${command}`);
});

test("a failed preview is redrafted without applying anything", () => {
  const command = `${patch('{"spec":{"action":"Ignore"}}')} && ${patch('{"spec":{"action":"DryRun"}}')}`;
  expect(conditionStep({ phase: "Failed" }, asked({ action: "DryRun" }))).toBe(`fix the cause, then run: ${command}`);
});

test("previews and automatic corrections have no next step", () => {
  expect(conditionStep({ phase: "ReviewRequired", review }, asked({ action: "DryRun" }))).toBeUndefined();
  expect(conditionStep({ phase: "Drifted" }, asked({ bypassOptimisticLock: true }))).toBeUndefined();
});

const drifted = (kind: Drift["kind"], name: string) => {
  const item = deschedulerItem({ name, state: "Completed" });
  return observedItem({ ...item, targetRef: { ...item.targetRef, name } }, { drift: drift({ kind }) });
};

describe("drift by admission", () => {
  const find =
    "find the webhook or policy with: kubectl get mutatingwebhookconfigurations (or kubectl get mutatingadmissionpolicies, if the API server supports them)";
  const ignore = patch('{"spec":{"action":"Ignore"}}');
  const exempt = (object: string) =>
    `${find}; exempt ${object} there, or accept the stored values and stop managing them with: ${ignore}`;

  test("is fixed at the webhook or policy, not by undoing a change", () => {
    const mutated = { ...asked(), items: [drifted("mutated", "one")] };
    expect(conditionStep({ phase: "Drifted" }, mutated)).toBe(exempt("KubeDescheduler 'one'"));
    const both = { ...asked(), items: [drifted("mutated", "one"), drifted("mutated", "two")] };
    expect(conditionStep({ phase: "Drifted" }, both)).toBe(exempt("KubeDescheduler 'one', KubeDescheduler 'two'"));
  });

  test("needs the user even with automatic correction", () => {
    const mutated = { ...asked({ bypassOptimisticLock: true }), items: [drifted("mutated", "one")] };
    expect(conditionStep({ phase: "Drifted" }, mutated)).toBe(exempt("KubeDescheduler 'one'"));
  });

  test("is distinguished from another client's change", () => {
    const items = [drifted("changed", "one"), drifted("mutated", "two")];
    const step = conditionStep({ phase: "Drifted" }, { ...asked(), items });
    expect(step).toContain("undo the change, or to apply the plan again, run: ");
    expect(step).toContain(`; for changes made by admission, ${exempt("KubeDescheduler 'two'")}`);
    const corrected = conditionStep({ phase: "Drifted" }, { ...asked({ bypassOptimisticLock: true }), items });
    expect(corrected).toBe(exempt("KubeDescheduler 'two'"));
  });
});

const planHash = "a".repeat(64);
const config = (status: Status, spec: Partial<Spec> = {}, annotations: Record<string, string> = {}) =>
  configObject(status, { profile: "x", action: "DryRun", ...spec }, { name: "x", annotations });
const finding = (severity: "blocking" | "warning") => ({
  id: "VMNotMigratable",
  severity,
  message: "VM a/b blocks the drain",
  command: "virtctl stop b -n a",
  since: "2026-01-01T00:00:00Z",
});
const condition = (type: string, reason: string) => ({
  type,
  status: "True" as const,
  reason,
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
});
const reviewFor = (reason: "Guarded" | "PolicyNotInForce") => ({
  planHash,
  generation: 1,
  forced: true,
  reason,
  message: "m",
});

const cases: readonly { reason: string; shown: VirtPlatformConfig; next: string }[] = [
  {
    reason: "a blocking finding comes first, with its command",
    shown: config({ phase: "InProgress", rollout: rolloutFixture([finding("blocking")]) }),
    next: "VM a/b blocks the drain: virtctl stop b -n a",
  },
  {
    reason: "a blocking VM refers to its options instead of stopping it",
    shown: config({
      phase: "InProgress",
      rollout: rolloutFixture([
        { ...finding("blocking"), object: { kind: "VirtualMachineInstance", namespace: "a", name: "b" } },
      ]),
    }),
    next: "VM a/b blocks the drain; to choose an option, run: k doctor x",
  },
  {
    reason: "a warning does not block",
    shown: config({ phase: "InProgress", rollout: rolloutFixture([finding("warning")]) }),
    next: "to follow the rollout, run: k status x --watch",
  },
  {
    reason: "a rejected plan is not presented as new",
    shown: config({ phase: "ReviewRequired", planHash }, {}, { [rejectedPlanAnnotation]: `${planHash} too risky` }),
    next: `plan aaaaaaaaaaaa was rejected (too risky); to approve it anyway, run: k approve x --hash aaaaaaaaaaaa`,
  },
  {
    reason: "a guarded plan starts automatically",
    shown: config({ phase: "ReviewRequired", planHash, review: reviewFor("Guarded") }, { action: "Apply" }),
    next: "the plan starts automatically when its guard allows it: m.",
  },
  {
    reason: "missing policies are installed first",
    shown: config({ phase: "ReviewRequired", planHash, review: reviewFor("PolicyNotInForce") }, { action: "Apply" }),
    next: "reinstall the admission policies of this release, then approve the plan again.",
  },
  {
    reason: "automatically corrected drift needs no action",
    shown: config({ phase: "Drifted" }, { action: "Apply", bypassOptimisticLock: true }),
    next: "the drift is corrected automatically; to see it, run: k drift x",
  },
  {
    reason: "stopped correction needs the user",
    shown: config(
      { phase: "Drifted", conditions: [condition("Stalled", "DriftFight")] },
      { action: "Apply", bypassOptimisticLock: true },
    ),
    next: "undo the change (see drift), or draft a new plan with: k plan x",
  },
  {
    reason: "nodes that still update are followed",
    shown: config({ phase: "Completed", conditions: [condition("Ready", "NotConverged")] }),
    next: "nodes are still applying the configuration; to follow them, run: k status x --watch",
  },
  { reason: "a completed plan needs no action", shown: config({ phase: "Completed" }), next: "nothing to do." },
];

test.each(cases)("$reason", ({ shown, next }) => {
  expect(nextStepText(nextStepOf(shown), "k")).toBe(next);
});

test("every phase has a next step", () => {
  for (const phase of phaseConditions) expect(nextStepOf(config({ phase })).text).not.toBe("");
});

test("reports leftover objects of an ignored config", () => {
  const leftBehind = [{ apiVersion: "v1", kind: "MachineConfig", name: "psi" }];
  const text = (status: Status) => nextStepText(nextStepOf(config(status, { action: "Ignore" })), "k");
  expect(text({ phase: "Ignored" })).toBe("this profile is not managed; to see what it would change, run: k plan x");
  expect(text({ phase: "Ignored", leftBehind })).toBe(
    "this profile is not managed, but an earlier plan left objects behind; to manage them again, run: k plan x",
  );
  const unread = leftBehind.map((one) => ({ ...one, unread: true }));
  expect(text({ phase: "Ignored", leftBehind: unread })).toBe(
    "this profile is not managed, but the advisor cannot read objects that an earlier plan may have left behind; to see what it would change, run: k plan x",
  );
});
