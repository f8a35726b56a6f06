import type { Phase, Status } from "@virt/api";
import { describe, expect, test } from "vitest";
import type { Saying } from "./conditions/phase.ts";
import { inputs, staleness, upgrades } from "./conditions/side.ts";
import { type Beside, newsOf } from "./news.ts";
import {
  appliedItem,
  begunItem,
  conditionsIn,
  descheduler,
  doneItem,
  failedItem,
  type Given,
  generation,
  observed,
  otherHash,
  planHash,
  psi,
  removal,
  seenItem,
} from "./observed-world.ts";

const quiet: Beside = { moved: [], managers: [] };
const at = (phase: Phase, given: Given["was"] = {}, marks: readonly Saying[] = []): Status =>
  observed(phase, { was: { ...given, conditions: conditionsIn(phase, marks) }, items: [seenItem(doneItem(psi()))] })
    .was;
const told = (before: Status, after: Status, beside = quiet) =>
  newsOf(before, after, beside).map(({ type, reason }) => `${type} ${reason}`);
const review = { planHash, generation, forced: false, reason: "Requested" } as const;
const forced = { ...review, forced: true, reason: "NotRequested" } as const;

type Row = readonly [reason: string, before: Status, after: Status, news: readonly string[]];

const rows: readonly Row[] = [
  ["nothing new is no news", at("Completed"), at("Completed"), []],
  ["a first look", {}, { ...at("Drafting"), items: [] }, []],
  ["a plan goes on display", at("Drafting"), at("ReviewRequired", { review }), ["Normal PlanDrafted"]],
  [
    "a plan that is withheld",
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
  ["prerequisites that are missing", at("Drafting"), at("PrerequisiteFailed"), ["Warning PrerequisitesMissing"]],
  ["prerequisites that arrived", at("PrerequisiteFailed"), at("Drafting"), ["Normal PrerequisitesAvailable"]],
  [
    "an edit while they are missing says nothing about them",
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
  ["a correction is no approval", at("Drifted"), at("InProgress"), []],
  ["a plan is completed", at("InProgress"), at("Completed"), ["Normal PlanCompleted"]],
  ["with errors", at("InProgress"), at("CompletedWithErrors"), ["Warning PlanCompletedWithErrors"]],
  ["a plan fails", at("InProgress"), at("Failed"), ["Warning PlanFailed"]],
  ["drift is found", at("Completed"), at("Drifted"), ["Warning DriftDetected"]],
  ["drift is undone", at("Drifted"), at("Completed"), ["Normal DriftCleared"]],
  [
    "an upgrade is there",
    at("Completed"),
    at("CompletedWithUpgrade", {}, [upgrades.available("v1", "v2")]),
    ["Normal UpgradeAvailable"],
  ],
  ["Ignore", at("Completed"), at("Ignored"), ["Normal Ignored"]],
  ["no Ignore any more", at("Ignored"), at("Drafting"), ["Normal Resumed"]],
  ["an input moved", at("Completed"), at("Drafting", {}, [inputs.changed("x")]), ["Warning InputDependencyChanged"]],
  [
    "it moved back",
    at("ReviewRequired", {}, [inputs.changed("x")]),
    at("Drafting", {}, [inputs.resolved]),
    ["Normal InputDependencyResolved"],
  ],
  [
    "a person accepts that it moved",
    at("ReviewRequired", { executedGeneration: generation }, [inputs.changed("x")]),
    at("InProgress", {}, [inputs.acknowledged]),
    ["Normal InputDependencyAcknowledged"],
  ],
  ["a plan is stale", at("InProgress"), at("Drafting", {}, [staleness.found]), ["Warning PlanStale"]],
];

test.each(rows)("3.2: %s", (_reason, before, after, news) => {
  expect(told(before, after)).toEqual(news);
});

describe("3.2: items", () => {
  const running = (item: ReturnType<typeof psi>): Status => ({ ...at("InProgress"), items: [item] });
  const conflicts = [{ field: "spec.mode", manager: "kubectl", operation: "Update" }] as const;
  const drifted = {
    ...doneItem(descheduler()),
    message: "Configuration has drifted from desired state: x",
    diff: "--- x\n",
  };
  const items: readonly (readonly [string, Status, Status, readonly string[]])[] = [
    ["begun", running(descheduler()), running(begunItem(descheduler())), []],
    [
      "begun, over the fields of others",
      running(descheduler({ conflicts })),
      running(begunItem(descheduler({ conflicts }))),
      ["Warning FieldsTakenOver"],
    ],
    ["applied", running(begunItem(descheduler())), running(doneItem(descheduler())), ["Normal ItemApplied"]],
    ["applied, to be rolled out", running(begunItem(psi())), running(appliedItem(psi())), ["Normal ItemApplied"]],
    ["rolled out", running(appliedItem(psi())), running(doneItem(psi())), []],
    ["removed", running(begunItem(removal())), running(appliedItem(removal())), ["Normal ItemDeleted"]],
    [
      "corrected",
      running(begunItem(descheduler({ corrections: ["x"] }))),
      running(doneItem(descheduler({ corrections: ["x"] }))),
      ["Normal DriftCorrected"],
    ],
    ["failed", running(begunItem(psi())), running(failedItem(psi())), ["Warning ItemFailed"]],
    ["drifted while others run", running(doneItem(descheduler())), running(drifted), ["Warning DriftDetected"]],
    ["still drifted", running(drifted), running(drifted), []],
    ["not drifted any more", running(drifted), running(doneItem(descheduler())), []],
  ];
  test.each(items)("%s", (_reason, before, after, news) => {
    expect(told(before, after)).toEqual(news);
  });
});

test("3.2: the notes name plan and impact, generation, all moved inputs, and who made the drift", () => {
  const notes = (before: Status, after: Status, beside = quiet) =>
    newsOf(before, after, beside).map(({ note }) => note);
  expect(notes(at("Drafting"), at("ReviewRequired", { review }))).toEqual([`Plan ${planHash}, impact High`]);
  expect(notes(at("ReviewRequired", { executedGeneration: 1 }), at("InProgress"))).toEqual([
    `Generation ${generation} approves plan ${planHash}`,
  ]);
  const moved = { ...quiet, moved: ["a moved", "b moved"] };
  expect(notes(at("Completed"), at("Drafting", {}, [inputs.changed("a moved")]), moved)).toEqual(["a moved; b moved"]);
  expect(notes(at("Completed"), at("Drifted"), { ...quiet, managers: ["x", "y"] })).toEqual(["as before, by x, y"]);
});

const tool = (reason: string, status: "True" | "False", type: string): Status => {
  const phase = type === "Stalled" ? "Drifted" : "Completed";
  const conditions = conditionsIn(phase).map((one) => (one.type === type ? { ...one, reason, status } : one));
  return { ...at(phase), conditions };
};

test("3.2: a fight and an unhealthy rollout are told once", () => {
  const fight = tool("DriftFight", "True", "Stalled");
  expect(told(at("Drifted"), fight)).toEqual(["Warning DriftFight"]);
  expect(told(fight, fight)).toEqual([]);
  const unhealthy = tool("NotConverged", "False", "Ready");
  expect(told(at("Completed"), unhealthy)).toEqual(["Warning RolloutUnhealthy"]);
  expect(told(unhealthy, unhealthy)).toEqual([]);
});
