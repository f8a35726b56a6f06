import type { Item, Phase, Status } from "@virt/api";
import { describe, expect, test } from "vitest";
import { conditionsForPhase } from "./conditions/phase.ts";
import {
  type ConditionInput,
  inputConditions,
  stalenessConditions,
  upgradeConditions,
  writeConditions,
} from "./conditions/status-conditions.ts";
import { type EventContext, eventsForStatusChange } from "./status-events.ts";
import {
  appliedItem,
  begunItem,
  conditionsIn,
  deschedulerItem,
  doneItem,
  examplePlanHash,
  failedItem,
  generation,
  now,
  type ObservedOverrides,
  observedItem,
  observedWith,
  otherHash,
  psi,
  removal,
} from "./testing/observed-fixtures.ts";

const quiet: EventContext = { moved: [] };
const at = (phase: Phase, given: ObservedOverrides["stored"] = {}, marks: readonly ConditionInput[] = []): Status =>
  observedWith(phase, {
    stored: { ...given, conditions: conditionsIn(phase, marks) },
    items: [observedItem(doneItem(psi()))],
  }).stored;
const reportedEvents = (before: Status, after: Status, beside = quiet) =>
  eventsForStatusChange(before, after, beside).map(({ type, reason }) => `${type} ${reason}`);
const review = { planHash: examplePlanHash, generation, forced: false, reason: "Requested" } as const;
const forced = { ...review, forced: true, reason: "NotRequested" } as const;

type Row = readonly [reason: string, before: Status, after: Status, events: readonly string[]];

const rows: readonly Row[] = [
  ["no change causes no event", at("Completed"), at("Completed"), []],
  ["the first reconcile causes no event", {}, { ...at("Drafting"), items: [] }, []],
  ["a drafted plan", at("Drafting"), at("ReviewRequired", { review }), ["Normal PlanDrafted"]],
  [
    "a forced review",
    at("Drafting"),
    at("ReviewRequired", { review: forced }),
    ["Normal PlanDrafted", "Warning ReviewForced"],
  ],
  [
    "a plan refreshed in place",
    at("ReviewRequired", { review }),
    at("ReviewRequired", { review, planHash: otherHash }),
    ["Normal PlanRefreshed"],
  ],
  [
    "an Apply that is withheld later",
    at("ReviewRequired", { review }),
    at("ReviewRequired", { review: forced }),
    ["Warning ReviewForced"],
  ],
  ["missing prerequisites", at("Drafting"), at("PrerequisiteFailed"), ["Warning PrerequisitesMissing"]],
  ["available prerequisites", at("PrerequisiteFailed"), at("Drafting"), ["Normal PrerequisitesAvailable"]],
  [
    "an edit does not make prerequisites available",
    at("PrerequisiteFailed", { observedGeneration: generation - 1 }),
    at("Drafting"),
    [],
  ],
  [
    "an approval",
    at("ReviewRequired", { executedGeneration: generation - 1 }),
    at("InProgress"),
    ["Normal PlanApproved"],
  ],
  ["a correction is not an approval", at("Drifted"), at("InProgress"), []],
  ["a completed plan", at("InProgress"), at("Completed"), ["Normal PlanCompleted"]],
  ["a plan completed with errors", at("InProgress"), at("CompletedWithErrors"), ["Warning PlanCompletedWithErrors"]],
  ["a failed plan", at("InProgress"), at("Failed"), ["Warning PlanFailed"]],
  ["detected drift", at("Completed"), at("Drifted"), ["Warning DriftDetected"]],
  ["cleared drift", at("Drifted"), at("Completed"), ["Normal DriftCleared"]],
  [
    "an available upgrade",
    at("Completed"),
    at("CompletedWithUpgrade", {}, [upgradeConditions.available("v1", "v2")]),
    ["Normal UpgradeAvailable"],
  ],
  ["Ignore", at("Completed"), at("Ignored"), ["Normal Ignored"]],
  ["the end of Ignore", at("Ignored"), at("Drafting"), ["Normal Resumed"]],
  [
    "a changed input",
    at("Completed"),
    at("Drafting", {}, [inputConditions.changed("x")]),
    ["Warning InputDependencyChanged"],
  ],
  [
    "an input that changed back",
    at("ReviewRequired", {}, [inputConditions.changed("x")]),
    at("Drafting", {}, [inputConditions.resolved]),
    ["Normal InputDependencyResolved"],
  ],
  [
    "an acknowledged input",
    at("ReviewRequired", { executedGeneration: generation }, [inputConditions.changed("x")]),
    at("InProgress", {}, [inputConditions.acknowledged]),
    ["Normal InputDependencyAcknowledged"],
  ],
  ["a stale plan", at("InProgress"), at("Drafting", {}, [stalenessConditions.found]), ["Warning PlanStale"]],
];

test.each(rows)("reports the events of a change: %s", (_reason, before, after, events) => {
  expect(reportedEvents(before, after)).toEqual(events);
});

describe("reports the events of an item", () => {
  const running = (item: ReturnType<typeof psi>): Status => ({ ...at("InProgress"), items: [item] });
  const drifting = (item: ReturnType<typeof psi>): Status => {
    const conditions = writeConditions({}, conditionsForPhase("InProgress", "", "x"), { now, generation });
    return { ...running(item), conditions };
  };
  const conflicts = [{ field: "spec.mode", manager: "kubectl", operation: "Update" }] as const;
  const drifted = {
    ...doneItem(deschedulerItem()),
    message: "Configuration has drifted from desired state: x",
    diff: "--- x\n",
  };
  const items: readonly (readonly [string, Status, Status, readonly string[]])[] = [
    ["begun", running(deschedulerItem()), running(begunItem(deschedulerItem())), []],
    [
      "begun with conflicts",
      running(deschedulerItem({ conflicts })),
      running(begunItem(deschedulerItem({ conflicts }))),
      [],
    ],
    ["applied", running(begunItem(deschedulerItem())), running(doneItem(deschedulerItem())), ["Normal ItemApplied"]],
    ["applied, before its rollout", running(begunItem(psi())), running(appliedItem(psi())), ["Normal ItemApplied"]],
    ["rolled out", running(appliedItem(psi())), running(doneItem(psi())), []],
    ["removed", running(begunItem(removal())), running(appliedItem(removal())), ["Normal ItemDeleted"]],
    [
      "corrected",
      running(begunItem(deschedulerItem({ corrections: ["x"] }))),
      running(doneItem(deschedulerItem({ corrections: ["x"] }))),
      ["Normal DriftCorrected"],
    ],
    ["failed", running(begunItem(psi())), running(failedItem(psi())), ["Warning ItemFailed"]],
    ["drifted while others run", running(doneItem(deschedulerItem())), drifting(drifted), ["Warning DriftDetected"]],
    [
      "drifted during its rollout",
      running(appliedItem(psi())),
      drifting({ ...appliedItem(psi()), diff: "--- x\n" }),
      ["Warning DriftDetected"],
    ],
    ["still drifted", drifting(drifted), drifting(drifted), []],
    ["no longer drifted", drifting(drifted), running(doneItem(deschedulerItem())), ["Normal DriftCleared"]],
  ];
  test.each(items)("%s", (_reason, before, after, events) => {
    expect(reportedEvents(before, after)).toEqual(events);
  });
});

test("notes name the plan, impact, approver, inputs and failures", () => {
  const notes = (before: Status, after: Status, beside = quiet) =>
    eventsForStatusChange(before, after, beside).map(({ note }) => note);
  const plan = examplePlanHash.slice(0, 12);
  expect(notes(at("Drafting"), at("ReviewRequired", { review }))).toEqual([
    `Plan ${plan} drafted: 1 of 1 items have changes, impact High`,
  ]);
  expect(notes(at("ReviewRequired", { review }), at("ReviewRequired", { review, planHash: otherHash }))).toEqual([
    `Plan ${otherHash.slice(0, 12)} replaces plan ${plan}, whose targets changed: 1 of 1 items have changes, impact High`,
  ]);
  const upgraded = at("ReviewRequired", { review, planHash: otherHash, operatorVersion: "v3" });
  expect(notes(at("ReviewRequired", { review, operatorVersion: "v2" }), upgraded)).toEqual([
    `Plan ${otherHash.slice(0, 12)} replaces plan ${plan}, drafted by operator version v2: 1 of 1 items have changes, impact High`,
  ]);
  const approved = [at("ReviewRequired", { executedGeneration: 1 }), at("InProgress")] as const;
  expect(notes(...approved)).toEqual([`Plan ${plan} approved (impact High)`]);
  expect(notes(...approved, { ...quiet, approver: "virt-console", approvedBy: "jane" })).toEqual([
    `Plan ${examplePlanHash.slice(0, 12)} approved by jane (not verified) through virt-console (impact High)`,
  ]);
  expect(notes(...approved, { ...quiet, approver: "kubectl-patch" })).toEqual([
    `Plan ${plan} approved through kubectl-patch (impact High)`,
  ]);
  const moved = { ...quiet, moved: ["a moved", "b moved"] };
  expect(notes(at("Completed"), at("Drafting", {}, [inputConditions.changed("a moved")]), moved)).toEqual([
    "a moved; b moved",
  ]);
  expect(notes(at("InProgress"), at("Completed"))).toEqual([
    `Plan ${plan} completed: Configuration successfully applied and in sync`,
  ]);
  const errors = { ...at("CompletedWithErrors"), items: [failedItem(psi())] };
  expect(notes({ ...at("InProgress"), items: [failedItem(psi())] }, errors)).toEqual([
    `Plan ${plan} completed with errors: item 'enable-psi-metrics': ${failedItem(psi()).message}`,
  ]);
});

const tool = (reason: string, status: "True" | "False", type: string): Status => {
  const phase = type === "Stalled" ? "Drifted" : "Completed";
  const conditions = conditionsIn(phase).map((one) => (one.type === type ? { ...one, reason, status } : one));
  return { ...at(phase), conditions };
};

test("an edit war and an unhealthy rollout have one event each", () => {
  const fight = tool("DriftFight", "True", "Stalled");
  expect(reportedEvents(at("Drifted"), fight)).toEqual(["Warning DriftFight"]);
  expect(reportedEvents(fight, fight)).toEqual([]);
  const unhealthy = tool("NotConverged", "False", "Ready");
  expect(reportedEvents(at("Completed"), unhealthy)).toEqual(["Warning RolloutUnhealthy"]);
  expect(reportedEvents(unhealthy, unhealthy)).toEqual([]);
});

test("reports taken over fields with their managers after the write", () => {
  const conflicts = [{ field: "spec.mode", manager: "kubectl-edit", operation: "Update" }] as const;
  const [before, after] = [begunItem(deschedulerItem({ conflicts })), doneItem(deschedulerItem({ conflicts }))];
  const status = (item: Item): Status => ({ ...at("InProgress"), items: [item] });
  const events = eventsForStatusChange(status(before), status(after), {
    ...quiet,
    tookOver: { [after.name]: conflicts },
  });
  expect(events).toContainEqual({
    type: "Warning",
    reason: "FieldsTakenOver",
    note: `Took over fields of KubeDescheduler 'cluster' (item ${after.name}): spec.mode (kubectl-edit)`,
  });
  expect(reportedEvents(status(before), status(after))).toEqual(["Normal ItemApplied"]);
});

test("reports a foreign status change in any phase, once per plan", () => {
  const tampered = { ...forced, reason: "PlanTampered", message: "diff of item 'a' differs" } as const;
  expect(reportedEvents(at("Completed"), at("Completed"), { ...quiet, foreignChange: "planHash" })).toEqual([
    "Warning PlanTampered",
  ]);
  expect(reportedEvents(at("InProgress"), at("Drafting", { review: tampered }))).toEqual(["Warning PlanTampered"]);
  expect(
    reportedEvents(at("Drafting", { review: tampered }), at("ReviewRequired", { review: tampered })),
  ).not.toContain("Warning PlanTampered");
});
