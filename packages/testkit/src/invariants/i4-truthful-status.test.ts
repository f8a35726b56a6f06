import { expect, test } from "vitest";
import { readAudited } from "./audited.ts";
import { historyOf } from "./history.ts";
import { untruthfulStatuses } from "./i4-truthful-status.ts";
import { phases } from "./phase-edges.ts";
import { account, item, Story } from "./story.ts";

const judge = (story: Story) =>
  untruthfulStatuses(historyOf(readAudited(story.log), { accounts: [account] })).map(({ message }) => message);

const conditions = (isTrue: (phase: string) => boolean, lastTransitionTime: string) =>
  phases.map((type) => ({ type, status: isTrue(type) ? "True" : "False", lastTransitionTime }));

const innocent = [
  { reason: "a whole run", story: new Story().begun().apply().done() },
  { reason: "a status that is written again as it was", story: new Story().begun().status({ phase: "InProgress" }) },
  {
    reason: "an object that was deleted and created again starts over",
    story: new Story().begun().removeConfig().edit({}).status({ phase: "Drafting" }),
  },
  {
    reason: "an item's time that moves with its state",
    story: new Story()
      .begun()
      .status({ phase: "InProgress", items: [{ ...item, state: "Completed", lastTransitionTime: "now" }] }),
  },
];

test.each(innocent)("innocent: $reason", ({ story }) => {
  expect(judge(story)).toEqual([]);
});

const guilty = [
  {
    reason: "a generation that goes back",
    story: new Story().begun().status({ phase: "InProgress", observedGeneration: 1 }),
    why: "observedGeneration went back from 2 to 1",
  },
  {
    reason: "a generation that nobody wrote",
    story: new Story().begun().status({ phase: "InProgress", observedGeneration: 3 }),
    why: "observedGeneration 3 is above 2",
  },
  {
    reason: "a phase that cannot follow",
    story: new Story().begun().done().status({ phase: "InProgress" }),
    why: 'no edge leads from "Completed" to "InProgress" with action Apply without an edit',
  },
  {
    reason: "two phases at once",
    story: new Story()
      .edit({})
      .status({ phase: "Drafting", conditions: conditions((type) => type.startsWith("D"), "x") }),
    why: "phase Drafting has the conditions Drafting, Drifted",
  },
  {
    reason: "no phase",
    story: new Story().edit({}).status({ phase: "Drafting", conditions: [] }),
    why: "phase Drafting has the conditions none",
  },
  {
    reason: "a condition that contradicts the phase",
    story: new Story().edit({}).status({ phase: "Drafting", conditions: conditions((type) => type === "Failed", "x") }),
    why: "phase Drafting has the conditions Failed",
  },
  {
    reason: "a time that moves without its condition",
    story: new Story()
      .edit({})
      .status({ phase: "Drafting", conditions: conditions((type) => type === "Drafting", "x").slice(0, 2) })
      .status({ phase: "Drafting", conditions: conditions((type) => type === "Drafting", "y").slice(1, 2) }),
    why: "lastTransitionTime of condition Drafting moved, True did not",
  },
  {
    reason: "a time that moves without its item",
    story: new Story()
      .begun()
      .status({ phase: "InProgress", items: [{ ...item, state: "InProgress", lastTransitionTime: "now" }] })
      .status({ phase: "InProgress", items: [{ ...item, state: "InProgress", lastTransitionTime: "later" }] }),
    why: "lastTransitionTime of item enable-psi-metrics moved, InProgress did not",
  },
];

test.each(guilty)("guilty: $reason", ({ story, why }) => {
  const subject = "update virtplatformconfigs.advisor.kubevirt.io/load-aware/status: ";
  expect(judge(story).at(-1)).toBe(subject + why);
});
